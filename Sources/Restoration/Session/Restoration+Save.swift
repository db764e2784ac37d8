import RepriseEventStore

extension Restoration {
  /// Hands all changes to the journal now, including the states that every ``RestorableScreen`` encodes.
  ///
  /// Call it when the program goes to the background. Otherwise, the end of each turn does this for the states marked
  /// as changed. In a read-only scene, it writes nothing.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished, and ``RestorationError/store(_:)`` if
  ///   the store is closed. In both cases, nothing is written. ``RestorationError/state(_:reason:)`` for the first
  ///   state that cannot be stored. In this case, the other states are saved.
  public func save() throws { try saver.save() }

  /// Saves, and returns when screens and uncommitted edits are in the journal's file, where they survive the process.
  ///
  /// With `durable`, it returns when they are on the disk, where they survive a power cut. Without this call, changes
  /// reach the file within 250 ms, and the disk within five seconds.
  ///
  /// The call covers the edits in the store with the archive, in all registered stores, and in the stores of registered
  /// contexts. If one store cannot be written, the other stores still are. If a registered object hides its store, also
  /// call that store's `flush()`. Unless something changes afterwards, the next launch reports ``ExitReason/clean``.
  ///
  /// Costs one write of the unwritten changes, off the actor. The call does not wait for saves or for other processes.
  /// If another actor is in the middle of a turn with edits, the call waits at most 200 ms for its end.
  ///
  /// - Throws: As ``save()``. Also ``RestorationError/preview(_:reason:)`` if the preview cannot be stored. If only a
  ///   state or the preview cannot be stored, everything else is written. ``RestorationError/store(_:)`` if a store
  ///   cannot be written. Its changes then stay in memory, and the library tries again.
  nonisolated(nonsending) public func flush(durable: Bool = false) async throws {
    let problem = try await saveInOneFrame()
    let stores = currentScene.stores.all
    let end = currentScene.breaker.willEnd(stores)
    let flaw = await makeAndKeepPreview()
    let failure = await currentScene.stores.flush(stores, durable: durable)
    if let failure { throw RestorationError.store(failure) }
    if let problem { throw problem }
    end()
    if let flaw { throw flaw }
  }

  /// Saves all states that can be saved, and ends the frames of all stores. It waits at most 200 ms for open turns of
  /// other isolations, and then cuts them.
  ///
  /// - Returns: The error of the first state that cannot be saved.
  private nonisolated(nonsending) func saveInOneFrame() async throws(RestorationError) -> RestorationError? {
    for attempt in 0...40 {
      var problem: RestorationError?
      try currentScene.requireRestored("flush(durable:)")
      do throws(RestorationError) {
        try saver.save()
      } catch .state(let place, let reason) {
        problem = .state(place, reason: reason)
      }
      let stores = currentScene.stores.all
      let held = stores.filter { !$0.endFrame(in: currentScene.isolation) }
      if attempt == 40 { for store in held { store.cutFrame() } }
      if held.isEmpty || attempt == 40 { return problem }
      try? await Task.sleep(nanoseconds: 5_000_000)
    }
    return nil
  }

  /// Marks the state of a screen, or of a registered object that encodes itself, as changed.
  ///
  /// The state is encoded and saved at the end of the turn.
  public func invalidateState(of screen: any RestorableScreen) {
    if let entry = screens.entry(of: screen) { changes.mark(entry) }
    objects.markWherever(screen)
  }
}

extension Restoration: SceneOwner {
  package var isolation: (any Actor)? { currentScene.isolation }
  package var archiveName: String { currentScene.name }
  package func writeChanges() { for problem in saver.writeChanges() { onProblem?(problem) } }
  package func writingFailed(_ error: StoreError) { if currentScene.phase != .ended { onProblem?(.store(error)) } }
  package func storeWasClosed() {
    guard currentScene.phase == .restored else { return }
    // Nothing is lost only if edits in other stores are written, too. There is no later moment for a note of that.
    let elsewhere = currentScene.stores.elsewhere
    for store in elsewhere where !store.endFrame(in: currentScene.isolation) { store.cutFrame() }
    let flushed = elsewhere.filter { $0.flushNow(cutsTurns: false) }
    currentScene.breaker.end(isClean: flushed.count == elsewhere.count)
  }
}
