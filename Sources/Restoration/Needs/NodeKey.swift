/// A key that differs between the nodes of a kind. The state or the path of a node chooses it.
final class NodeKey {
  typealias Choice = (_ node: AnyObject?, NodePath) -> String?

  /// The type of the states that choose the key. For a two-phase screen, the type of its decoder. `nil` if the path
  /// alone chooses.
  let stateType: Any.Type?
  private let choice: Choice

  init(stateType: Any.Type?, _ choice: @escaping Choice) {
    self.stateType = stateType
    self.choice = choice
  }

  /// - Parameter node: The node or decoder with the state.
  func id(for node: AnyObject?, at path: NodePath) -> String? { choice(node, path) }
}

/// The key of a needed object.
enum NeededKey {
  case same(String)
  case own(NodeKey)

  func id(for node: AnyObject?, at path: NodePath) -> String? {
    switch self {
    case .same(let id): id
    case .own(let key): key.id(for: node, at: path)
    }
  }
}
