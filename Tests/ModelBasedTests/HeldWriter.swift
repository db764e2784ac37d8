import Dispatch
import RepriseCore

/// Keeps a store from committing, so that saves stay under way for as long as a test wants.
final class HeldWriter: Sendable {
  private let isHeld = DispatchSemaphore(value: 0)
  private let mayGoOn = DispatchSemaphore(value: 0)

  /// Returns when the store commits no more.
  init(_ store: Store) {
    Task.detached { [isHeld, mayGoOn] in
      try await store.writer.perform(in: store) {
        isHeld.signal()
        mayGoOn.wait()
      }
    }
    isHeld.wait()
  }

  func letGo() { mayGoOn.signal() }
}
