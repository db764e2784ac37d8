/// What a state belongs to: a node of the tree, or a registered object.
@MainActor protocol StateOwner: AnyObject {
  var node: (any NodeState)? { get set }
  func stateChanged(in changes: Changes)
}

/// The part of a node that its kind's types are hidden behind.
@MainActor protocol NodeState: AnyObject {
  func encoded() throws(StateCodingError) -> [UInt8]
  /// The node was given another path, or closed.
  func moved(to path: NodePath?)
}
