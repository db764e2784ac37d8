extension Restoration {
  /// The scene is displayed: its screens were laid out and drawn for the first time, and did not end the process. See
  /// ``confirmsDisplay``. Nothing happens if that is not set.
  public func didDisplay() { if currentScene.awaitsDisplay { currentScene.breaker.displayed() } }

  /// The screen of a node is displayed, and so are those above it; others may not be yet. Only a launch that follows
  /// one that died takes note of it: so the node can be told that ends the process.
  ///
  /// Where more than 32 nodes are left, not each call writes, but one for each thirty-second of them, and the end of
  /// the turn: if the process ends in between, the others count as not displayed. n calls write O(n log n) bytes.
  public func didDisplay(_ path: NodePath) { currentScene.breaker.displayed(path) }
}
