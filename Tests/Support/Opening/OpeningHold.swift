import Dispatch
import RepriseEventStore
import RepriseSystem

/// Keeps a store that exists from being opened, as one does that another thread compacts, until ``release()``.
package final class OpeningHold: Sendable {
  private let mayGoOn = DispatchSemaphore(value: 0)
  private let isOver = Guarded(false)

  /// - Parameter limit: When the hold ends without ``release()``.
  package init(_ path: String, until limit: DispatchTime = .distantFuture) {
    let isHeld = DispatchSemaphore(value: 0)
    _ = SystemThread.start {
      try? StoreRegistry.whileClosed(path) { (_) throws(StoreError) in
        isHeld.signal()
        self.isOver.withLock { $0 = self.mayGoOn.wait(timeout: limit) == .timedOut }
      }
    }
    isHeld.wait()
  }

  package func release() { mayGoOn.signal() }

  /// Whether it ended without ``release()``. Waits for the end.
  package var hasTimedOut: Bool { isOver.withLock { $0 } }
}
