/// The owner of a state: a node of the tree, or a registered object.
protocol StateOwner: AnyObject {
  var node: (any NodeState)? { get set }
  func stateChanged(of node: any NodeState, in changes: TurnChanges)
}

/// A ``RestorationNode`` without its type.
protocol NodeState: AnyObject {
  func encoded() throws(StateCodingError) -> [UInt8]
  /// Takes up the state of a node of the same type.
  func takeUpState(of other: any NodeState)
  /// Called when the node has a new path, or was closed (`nil`).
  func moved(to path: NodePath?)
}
