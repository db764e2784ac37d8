/// A ``Dependency`` without its type.
enum Need: Hashable {
  case registered(String)
  case backReference(String)
  case ancestor(String)
  case ownContext(ContextParent.Form)
  case ancestorContext

  /// The key without which the factory cannot run.
  var key: String? {
    switch self {
    case .registered(let key), .ownContext(.registered(let key)): key
    default: nil
    }
  }

  /// The key that the archive remembers with the node.
  var reference: String? {
    if case .backReference(let key) = self { key } else { key }
  }

  var isOwnContext: Bool { if case .ownContext = self { true } else { false } }
}

extension [Need] {
  /// The keys that the archive remembers, each once.
  var references: [String] {
    reduce(into: []) { keys, need in if let key = need.reference, !keys.contains(key) { keys.append(key) } }
  }
}
