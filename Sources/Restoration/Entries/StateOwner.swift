/// The owner of a state: a node of the tree, or a registered object.
@MainActor protocol StateOwner: AnyObject {
  var node: (any NodeState)? { get set }
  func stateChanged(in changes: Changes)
}

/// A ``RestorationNode`` without its type.
@MainActor protocol NodeState: AnyObject {
  func encoded() throws(StateCodingError) -> [UInt8]
  /// The node was given another path, or closed.
  func moved(to path: NodePath?)
}
