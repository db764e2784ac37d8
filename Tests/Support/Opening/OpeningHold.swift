import Dispatch
import RepriseEventStore
import RepriseSystem

/// Keeps a store that exists from being opened, as one does that another thread compacts, until ``release()``.
package final class OpeningHold: Sendable {
  private let mayGoOn = DispatchSemaphore(value: 0)

  package init(_ path: String) {
    let isHeld = DispatchSemaphore(value: 0)
    let mayGoOn = mayGoOn
    _ = SystemThread.start {
      try? StoreRegistry.whileClosed(path) { (_) throws(StoreError) in
        isHeld.signal()
        mayGoOn.wait()
      }
    }
    isHeld.wait()
  }

  package func release() { mayGoOn.signal() }
}
