import RepriseEventStore

extension Restoration {
  /// Hands every change to the journal now, and asks all two-step screens for their state: for when a program goes to
  /// the background. Without it, the end of each turn does the same for what was marked changed.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished: then nothing was written.
  ///   ``RestorationError/store(_:)`` if the store was closed. ``RestorationError/state(_:reason:)`` for the first
  ///   state that could not be kept: the others were.
  public func save() throws { try saver.save() }

  /// Saves, and returns when screens and uncommitted edits are in the journal's file, where they outlive the process;
  /// with `durable`, when they are on the disk, and survive a power cut: for when a program goes to the background.
  ///
  /// Edits are those in the store with the archive, and in all stores that are registered, or of which a context is:
  /// each is written, also if another cannot be. Where an object hides its store, call that one's `flush()` as well.
  ///
  /// The next launch then finds that this one ended cleanly (``LastExit/clean``), unless something is changed after it.
  ///
  /// They get there by themselves within 250 ms, and onto the disk within five seconds. Takes one write of what is not
  /// yet written, off the main actor, and waits for no save and no other process.
  ///
  /// - Throws: What ``save()`` throws, or ``RestorationError/preview(_:reason:)``; then what can be written is.
  ///   ``RestorationError/store(_:)`` if something could not be written: it stays in memory, and writing is retried.
  public func flush(durable: Bool = false) async throws {
    var problem: RestorationError?
    try currentScene.requireRestored("flush() was called")
    do throws(RestorationError) {
      try saver.save()
    } catch .state(let place, let reason) {
      problem = .state(place, reason: reason)
    }
    let stores = currentScene.stores.all
    for store in stores { store.endFrame() }
    let end = currentScene.breaker.willEnd(stores)
    let flaw = await makeAndKeepPreview()
    let failure = await currentScene.stores.flush(stores, durable: durable)
    if let failure { throw RestorationError.store(failure) }
    if let problem { throw problem }
    end()
    if let flaw { throw flaw }
  }

  /// Marks the state of a two-step screen, or of a registered object that encodes itself, as changed.
  public func invalidateState(of screen: any RestorableScreen) {
    if let entry = screens.entry(of: screen) { changes.mark(entry) }
    objects.markWherever(screen)
  }
}

extension Restoration: SceneOwner {
  package var archiveName: String { currentScene.name }
  package func writeChanges() { for problem in saver.writeChanges() { onProblem?(problem) } }
  package func writingFailed(_ error: StoreError) { if currentScene.phase != .ended { onProblem?(.store(error)) } }
  package func storeWasClosed() {
    guard currentScene.phase == .restored else { return }
    // Only with what was typed in other stores nothing is lost; there is no later moment at which that could be said.
    let elsewhere = currentScene.stores.elsewhere
    for store in elsewhere { store.endFrame() }
    let flushed = elsewhere.filter { $0.flushNow(cutsTurns: false) }
    currentScene.breaker.end(isClean: flushed.count == elsewhere.count)
  }
}
