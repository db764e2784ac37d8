/// A key that each node of a kind has of its own, chosen by its state or its path.
@MainActor final class NodeKey {
  typealias Choice = (_ node: AnyObject?, NodePath) -> String?

  /// The type of the states that choose, for a two-phase screen's that of its decoder; `nil` if the path alone does.
  let stateType: Any.Type?
  private let choice: Choice

  init(stateType: Any.Type?, _ choice: @escaping Choice) {
    self.stateType = stateType
    self.choice = choice
  }

  /// - Parameter node: What has the state, a node or a decoder.
  func id(for node: AnyObject?, at path: NodePath) -> String? { choice(node, path) }
}

/// Under what something needed is registered.
enum NeededKey {
  case same(String)
  case own(NodeKey)

  @MainActor func id(for node: AnyObject?, at path: NodePath) -> String? {
    switch self {
    case .same(let id): id
    case .own(let key): key.id(for: node, at: path)
    }
  }
}
