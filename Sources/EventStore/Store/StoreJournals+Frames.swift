import RepriseJournal

// A turn's edits are appended at once, and the states of its screens at its end. Both are in one frame of the journal,
// so that after a kill the journal has all of them or none. Therefore, whenever a frame ends within a turn, the states
// are taken first.
extension StoreJournals {
  /// Takes the states of all scenes, and ends the journal's frame.
  @MainActor package func endFrame() {
    StoreObservers.willEndFrame(of: store)
    store.scenes.journal.endFrame()
  }

  /// Like ``endFrame()``, for a caller in any isolation that does not wait. Only the main actor can take states. In
  /// another isolation, the frame does not end while a turn is open.
  package func endFrame(in isolation: (any Actor)?) {
    if isolation === MainActor.shared {
      MainActor.assumeIsolated { endFrame() }
    } else if !store.scenes.journal.isTurnOpen {
      store.scenes.journal.endFrame()
    }
  }

  /// Like ``endFrame()``, for every change made before the call. Outside of the main actor, it waits at most 200 ms for
  /// open turns, because the main actor may be waiting for the caller.
  nonisolated(nonsending) func endFrameOfOpenTurns() async {
    let isolation = #isolation
    if isolation === MainActor.shared { return endFrame(in: isolation) }
    await openTurnsEnd()
    store.scenes.journal.endFrame()
  }

  /// Like ``endFrame()``, before the store is closed. It waits for the main actor without a limit. Otherwise the
  /// journal could have a turn's edits without the states of its screens. Closing needs the main actor in any case.
  func endLastFrame() async {
    await openTurnsEnd()
    await MainActor.run { endFrame() }
  }

  /// Waits up to 200 ms for open turns.
  private func openTurnsEnd() async {
    for _ in 0..<40 where store.scenes.journal.isTurnOpen { try? await Task.sleep(nanoseconds: 5_000_000) }
  }
}
