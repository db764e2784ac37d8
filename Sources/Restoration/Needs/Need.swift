/// A ``Dependency`` without its type.
enum Need {
  case registered(NeededKey)
  case backReference(String)
  case ancestor(String)
  case ownContext(ContextParent.Form)
  /// The nearest node above with a context, or the context that is registered under the key.
  case ancestorContext(orRegistered: String?)

  /// The key of the registered object that the factory needs.
  var neededKey: NeededKey? {
    switch self {
    case .registered(let key), .ownContext(.registered(let key)): key
    case .ancestorContext(let root?), .ownContext(.nearestAncestorNode(let root?)): .same(root)
    default: nil
    }
  }

  /// The key, if it is the same for all nodes.
  var key: String? { if case .same(let id)? = neededKey { id } else { nil } }

  /// The key, if each node has its own.
  var nodeKey: NodeKey? { if case .own(let key)? = neededKey { key } else { nil } }

  var isOwnContext: Bool { if case .ownContext = self { true } else { false } }
}

extension [Need] {
  /// The keys that the archive's record of a node lists, each once, except keys that single nodes choose.
  var references: [String] { references { $0.key } }

  /// The keys that the archive remembers with a node, each once.
  func references(of node: AnyObject?, at path: NodePath) -> [String] {
    references { $0.neededKey?.id(for: node, at: path) }
  }

  /// The keys without which a node cannot be made.
  func neededKeys(of node: AnyObject?, at path: NodePath) -> [String] {
    compactMap { $0.neededKey?.id(for: node, at: path) }
  }

  private func references(_ key: (Need) -> String?) -> [String] {
    reduce(into: []) { keys, need in
      let found = if case .backReference(let id) = need { id } else { key(need) }
      if let found, !keys.contains(found) { keys.append(found) }
    }
  }
}
