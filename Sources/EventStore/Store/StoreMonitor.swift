/// Learns about the work of a store. A target that shows this work implements the protocol, so that other targets do
/// not pay for it.
package protocol StoreMonitor: AnyObject, Sendable {}

extension Store {
  /// In the order of their addition.
  package var monitors: [any StoreMonitor] { memory.withLock { $0.monitors } }

  /// Adds a monitor, which the store retains until its removal.
  package func add(_ monitor: any StoreMonitor) {
    memory.withLock { $0.monitors.append(monitor) }
    isMonitored.store(true, ordering: .relaxed)
  }

  package func remove(_ monitor: any StoreMonitor) {
    memory.withLock { memory in
      memory.monitors.removeAll { $0 === monitor }
      isMonitored.store(!memory.monitors.isEmpty, ordering: .relaxed)
    }
  }
}
