/// A screen, or a registered object, that decodes its state in a second step, as `UIStateRestoring` does.
public protocol RestorableScreen: AnyObject {
  /// Encodes the state.
  ///
  /// Each ``Restoration/save()`` calls it. After ``Restoration/invalidateState(of:)``, the end of the turn does, too.
  func encodeRestorableState(with coder: RestorationEncoder)
  /// Decodes the state.
  ///
  /// All screens exist at this point, but they decode in no particular order. If the call throws, the node is not
  /// restored, the archive keeps its state, and the report has the error.
  func decodeRestorableState(with coder: RestorationDecoder) throws
  /// Called once, after all screens have decoded.
  func restorationFinished()
}

extension RestorableScreen {
  /// Does nothing.
  public func restorationFinished() {}
}
