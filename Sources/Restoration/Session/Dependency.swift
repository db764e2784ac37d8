import RepriseObjectGraph

/// What a factory needs: it receives it resolved and decoded, so that a screen's properties can be constants.
@MainActor public struct Dependency<Value> {
  let need: Need
  let resolve: @MainActor (Restoration, NodeEntry?) throws(Unmet) -> Value

  /// What is registered under a key: the one instance that every node receives.
  public static func registered(_ key: RestorationKey<Value>) -> Dependency {
    Dependency(need: .registered(key.id)) { restoration, _ throws(Unmet) in try restoration.value(of: key) }
  }

  /// What is registered under a key, delivered when all is restored: for parents, and for objects that need each other.
  public static func backReference<Object: AnyObject>(
    _ key: RestorationKey<Object>
  ) -> Dependency where Value == BackReference<Object> {
    Dependency(need: .backReference(key.id)) { restoration, _ in restoration.backReference(key) }
  }

  /// The screen of the nearest node above that is of a kind.
  public static func nearestAncestor<State>(_ kind: NodeKind<State, Value>) -> Dependency {
    Dependency(need: .ancestor(kind.name)) { restoration, entry throws(Unmet) in
      try restoration.ancestor(of: entry, kind: kind.name)
    }
  }

  /// A node's own context, of whatever type the parent makes.
  package static func ownContext(under parent: ContextParent) -> Dependency {
    Dependency(need: .ownContext(parent.form)) { restoration, entry throws(Unmet) in
      try restoration.ownContext(of: entry, parent.form, as: Value.self)
    }
  }

  package static var ancestorContext: Dependency {
    Dependency(need: .ancestorContext) { restoration, entry throws(Unmet) in
      try restoration.ancestorContext(of: entry, as: Value.self)
    }
  }
}

extension Dependency where Value == ChildContext {
  /// An editing context of the node's own, journalled as a draft under the node's path, with the scene and two slashes
  /// before it unless that is `main`: after a kill it comes back with its uncommitted edits.
  public static func ownContext(childOf parent: ContextParent) -> Dependency { ownContext(under: parent) }

  /// The own context of the nearest node above that has one: the same instance.
  public static var nearestAncestorContext: Dependency { ancestorContext }
}

/// What a node's own context is a child of.
@MainActor public struct ContextParent {
  enum Form: Hashable {
    case registered(String)
    case nearestAncestorNode
  }

  let form: Form

  private init(form: Form) { self.form = form }

  package init(registeredAs key: String) { form = .registered(key) }

  /// The context registered under a key.
  public static func registered<Context: EditingContext>(_ key: RestorationKey<Context>) -> ContextParent {
    ContextParent(form: .registered(key.id))
  }

  /// The own context of the nearest node above that has one.
  public static var nearestAncestorNode: ContextParent { ContextParent(form: .nearestAncestorNode) }
}

/// What a definition needs, without types.
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

/// A reference to a registered object that may need the one who holds it: empty until all is restored, and not owning.
@MainActor public final class BackReference<Object: AnyObject> {
  /// The object, once all is restored; `nil` before, and if there is none or it is gone.
  public internal(set) weak var object: Object?

  init() {}
}
