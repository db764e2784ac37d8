import RepriseJournal

// A turn's edits are appended at once, and the states of its screens at its end. They are in one frame of the journal,
// so that a kill leaves all of them or none. Whatever ends a frame within a turn therefore takes the states first.
extension StoreJournals {
  /// Takes the states of all scenes, and ends the journal's frame.
  @MainActor package func endFrame() {
    StoreObservers.willEndFrame(of: store)
    store.scenes.journal.endFrame()
  }

  /// The same, from the isolation of a caller that does not wait. Off the main actor, where states cannot be taken, a
  /// frame goes on while a turn is open.
  package func endFrame(in isolation: (any Actor)?, cutsTurns: Bool = false) {
    if isolation === MainActor.shared {
      MainActor.assumeIsolated { endFrame() }
    } else if cutsTurns || !store.scenes.journal.isTurnOpen {
      store.scenes.journal.endFrame()
    }
  }

  /// The same for everything that was changed before the call. Off the main actor it waits up to 200 ms for open turns:
  /// the main actor may be waiting for the caller.
  nonisolated(nonsending) func endFrameOfOpenTurns() async {
    let isolation = #isolation
    if isolation !== MainActor.shared { await openTurnsEnd() }
    endFrame(in: isolation, cutsTurns: true)
  }

  /// The same before the store is closed: the edits of a turn must not be in it without the states of its screens, so
  /// it waits for the main actor without a limit. Closing needs that actor anyway.
  func endLastFrame() async {
    await openTurnsEnd()
    await MainActor.run { endFrame() }
  }

  /// Waits up to 200 ms for open turns.
  private func openTurnsEnd() async {
    for _ in 0..<40 where store.scenes.journal.isTurnOpen { try? await Task.sleep(nanoseconds: 5_000_000) }
  }
}
