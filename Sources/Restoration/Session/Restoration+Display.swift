extension Restoration {
  /// Informs the library that the screens of the scene were laid out and drawn without ending the process.
  ///
  /// See ``reportsDisplay``. The call does nothing if that is `false`.
  public func reportDisplayed() { if currentScene.awaitsDisplay { currentScene.breaker.displayed() } }

  /// Informs the library that the screen of a node is displayed, and with it the screens of its ancestors.
  ///
  /// Only a launch after a crashed one records this, so that the next launch can identify the node that crashes.
  ///
  /// If at most 32 nodes are not displayed yet, every call writes a record to the journal. Otherwise, a call writes a
  /// record each time another 1/32 of these nodes is displayed, and once at the end of the turn. If the process ends in
  /// between, nodes displayed since the last record count as not displayed. n calls write O(n log n) bytes.
  public func reportDisplayed(_ path: NodePath) { currentScene.breaker.displayed(path) }
}
