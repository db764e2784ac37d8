import RepriseJournal

// A turn's edits are appended at once, and the states of its screens at its end. Both are in one frame of the journal,
// so that after a kill the journal has all of them or none. Therefore, whenever a frame ends within a turn, the states
// are taken first. Only the turn's isolation can take them.
extension StoreJournals {
  /// Takes the states of the scenes in an isolation, and ends the journal's frame. While a turn of another isolation is
  /// open, the frame does not end.
  ///
  /// - Returns: Whether it has ended.
  @discardableResult
  package func endFrame(in isolation: (any Actor)?) -> Bool {
    if let isolation { StoreObservers.willEndFrame(of: store, in: isolation) }
    return store.scenes.journal.endFrame(besides: isolation)
  }

  /// Like ``endFrame(in:)``, for every change made before the call. It waits at most 200 ms for open turns of other
  /// isolations, because their actors may be waiting for the caller.
  package nonisolated(nonsending) func endFrameOfOpenTurns() async {
    let isolation = #isolation
    for _ in 0..<40 {
      if endFrame(in: isolation) { return }
      try? await Task.sleep(nanoseconds: 5_000_000)
    }
    store.scenes.journal.endFrame()
  }

  /// Takes the states of all scenes, and ends the frame, before the store is closed. It waits at most 200 ms for open
  /// turns, and for the actors of the scenes without a limit. Otherwise the journal could have a turn's edits without
  /// the states of its screens.
  func endLastFrame() async {
    for _ in 0..<40 where store.scenes.journal.isTurnOpen { try? await Task.sleep(nanoseconds: 5_000_000) }
    await StoreObservers.willEnd(store)
    store.scenes.journal.endFrame()
  }
}
