import RepriseObjectGraph

/// A need of a factory, which the factory receives resolved and decoded.
///
/// A screen can therefore keep its dependencies in constants. If a dependency cannot be resolved, the node is not made,
/// and the report gives the reason.
public struct Dependency<Value> {
  let need: Need
  let resolve: (DependencyResolver, NodeEntry?) throws(Unmet) -> Value

  /// The object registered under a key, the same instance for every node.
  public static func registered(_ key: RestorationKey<Value>) -> Dependency {
    Dependency(need: .registered(.same(key.id))) { resolver, _ throws(Unmet) in try resolver.objects.value(of: key) }
  }

  /// A weak reference to the object registered under a key, filled in once everything is restored.
  ///
  /// Use it where two objects need each other, for example a child that calls its parent.
  public static func backReference<Object: AnyObject>(
    _ key: RestorationKey<Object>
  ) -> Dependency where Value == BackReference<Object> {
    Dependency(need: .backReference(key.id)) { resolver, _ in resolver.objects.backReference(key) }
  }

  /// The screen of the nearest ancestor node of this kind.
  ///
  /// Without such an ancestor, the node fails.
  public static func nearestAncestor<State>(_ kind: NodeKind<State, Value>) -> Dependency {
    Dependency(need: .ancestor(kind.name)) { resolver, entry throws(Unmet) in
      try resolver.ancestor(of: entry, kind: kind.name)
    }
  }

  /// A node's own context, of the type that the parent makes.
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
  /// The context of the nearest ancestor node that has one, or else the context registered under the key.
  ///
  /// An ancestor has a context if it has its own, or if it needs one as `.registered`. For example, a document window
  /// needs its document's context. The registered context is the fallback, as the app delegate is the last responder in
  /// UIKit's responder chain.
  public static func nearestContext<Context: EditingContext>(orRegistered key: RestorationKey<Context>) -> Dependency {
    ancestorContext(orRegistered: key.id)
  }
}

extension Dependency where Value == ChildContext {
  /// An editing context of the node's own, whose edits are journalled as a draft.
  ///
  /// After a kill, the context comes back with its uncommitted edits. The draft's ID is the node's path. In a scene
  /// other than `main`, the scene's name and two slashes precede the path. If another context uses that draft, or a
  /// closed node has left edits in it, the ID also ends in `#` and a number.
  public static func ownContext(childOf parent: ContextParent) -> Dependency { ownContext(under: parent) }

  /// The `ChildContext` of the nearest ancestor node that has one, the same instance.
  ///
  /// An ancestor has a `ChildContext` if it has its own, or if it needs one as `.registered`. Without such an ancestor,
  /// the node fails.
  public static var nearestAncestorContext: Dependency { ancestorContext() }
}
