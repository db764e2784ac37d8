/// A screen, or a registered object, that takes up its state in a second step, as `UIStateRestoring` does.
@MainActor public protocol RestorableScreen: AnyObject {
  /// Writes what is to be restored. Called by each ``Restoration/save()``, and at the end of a turn in which
  /// ``Restoration/invalidateState(of:)`` was called.
  func encodeRestorableState(with coder: RestorationEncoder)
  /// Takes up what was written. All screens are made by then; which of them have decoded is not promised.
  func decodeRestorableState(with coder: RestorationDecoder) throws
  /// Called once, when all screens have decoded.
  func restorationFinished()
}

extension RestorableScreen {
  /// Does nothing.
  public func restorationFinished() {}
}
