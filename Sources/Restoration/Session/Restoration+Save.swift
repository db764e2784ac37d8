extension Restoration {
  /// Hands every change to the journal now, and asks all two-step screens for their state. For the moment at which a
  /// program goes to the background; without it the end of each turn does the same for what was marked changed.
  ///
  /// - Throws: ``RestorationError/notRestored(_:)`` before restore has finished: then nothing was written.
  ///   ``RestorationError/store(_:)`` if the store was closed. ``RestorationError/state(_:reason:)`` for the first
  ///   state that could not be kept: the others were.
  public func save() throws { try saver.save() }

  /// Says that a two-step screen, or a registered object that encodes itself, has another state than before.
  public func invalidateState(of screen: any RestorableScreen) {
    if let entry = screens.entry(of: screen) { changes.mark(entry) }
    objects.markWherever(screen)
  }
}
