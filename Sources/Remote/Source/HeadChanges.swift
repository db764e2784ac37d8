import RepriseEventStore

/// Waits for saves to a store, by this process or another.
final class HeadChanges {
  private let store: Store
  /// As long as this exists, the store looks for the saves of other processes.
  private let others: OtherProcesses.Interest
  private var known: Position

  init(_ store: Store) {
    self.store = store
    others = OtherProcesses.Interest(store)
    known = store.log.head
  }

  /// Returns after the next save, or after `delay`. Returns at once if there was a save since the last call.
  nonisolated(nonsending) func next(orAfter delay: Duration?, _ clock: RemoteClock) async throws {
    let (saves, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let observer = store.observeHead { continuation.yield() }
    defer {
      store.removeHeadObserver(observer)
      known = store.log.head
    }
    if store.log.head > known { return }
    await withTaskGroup { group in
      group.addTask { for await _ in saves { break } }
      if let delay { group.addTask { try? await clock.sleep(delay) } }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }
}
