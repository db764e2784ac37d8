extension Restoration {
  /// Hands every change to the journal now, and asks all two-step screens for their state: for when a program goes to
  /// the background. Without it, the end of each turn does the same for what was marked changed.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished: then nothing was written.
  ///   ``RestorationError/store(_:)`` if the store was closed. ``RestorationError/state(_:reason:)`` for the first
  ///   state that could not be kept: the others were.
  public func save() throws { try saver.save() }

  /// Marks the state of a two-step screen, or of a registered object that encodes itself, as changed.
  public func invalidateState(of screen: any RestorableScreen) {
    if let entry = screens.entry(of: screen) { changes.mark(entry) }
    objects.markWherever(screen)
  }
}
