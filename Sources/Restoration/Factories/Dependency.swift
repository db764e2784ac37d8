import RepriseObjectGraph

/// What a factory needs, and receives resolved and decoded, so that a screen's properties can be constants.
@MainActor public struct Dependency<Value> {
  let need: Need
  let resolve: @MainActor (DependencyResolver, NodeEntry?) throws(Unmet) -> Value

  /// What is registered under a key: the one instance that every node receives.
  public static func registered(_ key: RestorationKey<Value>) -> Dependency {
    Dependency(need: .registered(.same(key.id))) { resolver, _ throws(Unmet) in try resolver.objects.value(of: key) }
  }

  /// What is registered under a key, delivered when all is restored: for parents, and for objects that need each other.
  public static func backReference<Object: AnyObject>(
    _ key: RestorationKey<Object>
  ) -> Dependency where Value == BackReference<Object> {
    Dependency(need: .backReference(key.id)) { resolver, _ in resolver.objects.backReference(key) }
  }

  /// The screen of the nearest node above that is of a kind.
  public static func nearestAncestor<State>(_ kind: NodeKind<State, Value>) -> Dependency {
    Dependency(need: .ancestor(kind.name)) { resolver, entry throws(Unmet) in
      try resolver.ancestor(of: entry, kind: kind.name)
    }
  }

  /// A node's own context, of whatever type the parent makes.
  package static func ownContext(under parent: ContextParent) -> Dependency {
    Dependency(need: .ownContext(parent.form)) { resolver, entry throws(Unmet) in
      try resolver.ownContext(of: entry, parent.form, as: Value.self)
    }
  }

  package static func ancestorContext(orRegistered root: String? = nil) -> Dependency {
    Dependency(need: .ancestorContext(orRegistered: root)) { resolver, entry throws(Unmet) in
      try resolver.ancestorContext(of: entry, orRegistered: root, as: Value.self)
    }
  }
}

extension Dependency where Value == EditingContext {
  /// The context of the nearest node above that has one: its own, or one that it needs as `.registered`, as the
  /// window of a document does. Without such a node, the context registered under a key, as a responder chain ends at
  /// the app delegate.
  public static func nearestContext<Context: EditingContext>(orRegistered key: RestorationKey<Context>) -> Dependency {
    ancestorContext(orRegistered: key.id)
  }
}

extension Dependency where Value == ChildContext {
  /// An editing context of the node's own, journalled as a draft under the node's path, with the scene and two slashes
  /// before it unless that is `main`: after a kill it comes back with its uncommitted edits.
  public static func ownContext(childOf parent: ContextParent) -> Dependency { ownContext(under: parent) }

  /// The context of the nearest node above that has a `ChildContext`, its own or one that it needs as
  /// `.registered`: the same instance.
  public static var nearestAncestorContext: Dependency { ancestorContext() }
}
