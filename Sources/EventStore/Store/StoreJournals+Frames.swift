import RepriseJournal

// A turn's edits are appended at once, and the states of its screens at its end. Both are in one frame of the journal,
// so that a kill leaves all or none. Therefore, whenever a frame ends within a turn, the states are taken first.
extension StoreJournals {
  /// Takes the states of all scenes, and ends the journal's frame.
  @MainActor package func endFrame() {
    StoreObservers.willEndFrame(of: store)
    store.scenes.journal.endFrame()
  }

  /// The same, from the isolation of a caller that does not wait. Off the main actor, where states cannot be taken, a
  /// frame goes on while a turn is open.
  package func endFrame(in isolation: (any Actor)?) {
    if isolation === MainActor.shared {
      MainActor.assumeIsolated { endFrame() }
    } else if !store.scenes.journal.isTurnOpen {
      store.scenes.journal.endFrame()
    }
  }

  /// The same for every change made before the call. Off the main actor it waits up to 200 ms for open turns, and no
  /// longer, because the main actor may be waiting for the caller.
  nonisolated(nonsending) func endFrameOfOpenTurns() async {
    let isolation = #isolation
    if isolation === MainActor.shared { return endFrame(in: isolation) }
    await openTurnsEnd()
    store.scenes.journal.endFrame()
  }

  /// The same before the store is closed. It waits for the main actor without a limit, because the journal must not
  /// have a turn's edits without the states of its screens. Closing needs the main actor anyway.
  func endLastFrame() async {
    await openTurnsEnd()
    await MainActor.run { endFrame() }
  }

  /// Waits up to 200 ms for open turns.
  private func openTurnsEnd() async {
    for _ in 0..<40 where store.scenes.journal.isTurnOpen { try? await Task.sleep(nanoseconds: 5_000_000) }
  }
}
