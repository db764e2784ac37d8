import RepriseLMDB
import RepriseObjectModel
import RepriseSystem

/// The removal of blobs that nobody needs while the store is open, on a thread of its own, which ends when all is done.
final class BackgroundCleaning: Sendable {
  private struct State: Sendable {
    var isRunning = false
    var isStopped = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Guarded(State())
  private let clock = WakeUp()
  /// Between two commits, for others' saves.
  private static let pause: UInt64 = 5_000_000

  /// - Parameter delay: In nanoseconds, so that the program starts undisturbed.
  func start(in store: Store, after delay: UInt64) {
    state.withLock { $0.isRunning = true }
    let isStarted = SystemThread.start { [weak store, self] in
      clock.wait(until: WakeUp.now() + delay)
      // The store, which holds this, may be given up without being closed.
      var cleaning = store.map { BlobCleaning($0.path, $0.environment, $0.tables, $0.blobClaims) }
      while !isStopped {
        // A failure, as of a full disk, leaves the rest to the next opening.
        guard (try? store.map { (_) throws(StoreError) in try cleaning?.step() ?? false }) ?? false else { break }
        clock.wait(until: WakeUp.now() + Self.pause)
      }
      cleaning = nil
      end()
    }
    if !isStarted { end() }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func end() {
    let waiting = state.withLock { state in
      state.isRunning = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when all is done.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isRunning { return true }
        state.waiting.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// Ends the thread, after the step that is under way.
  func stop() async {
    state.withLock { $0.isStopped = true }
    clock.wake()
    await wait()
  }
}

extension Store {
  /// Returns when what the opening found to be removed of blobs is gone. For tests.
  package func cleaned() async { await cleaning.wait() }

  /// Whether nothing of blobs is there that is to be removed. For tests.
  package var isClean: Bool {
    get throws {
      try read { (view, _) throws(StorageError) in try !BlobCleaning.isNeeded(tables, view) }
    }
  }
}
