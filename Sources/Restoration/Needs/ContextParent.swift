import RepriseObjectGraph

/// What a node's own context is a child of.
@MainActor public struct ContextParent {
  enum Form {
    case registered(NeededKey)
    /// With no node above that has a context, what is registered under the key.
    case nearestAncestorNode(orRegistered: String?)
  }

  let form: Form

  init(form: Form) { self.form = form }

  package static func nearestAncestorNode(orRegisteredAs key: String) -> ContextParent {
    ContextParent(form: .nearestAncestorNode(orRegistered: key))
  }
  package init(registeredAs key: String) { form = .registered(.same(key)) }
  package init(_ key: @escaping (NodePath) -> String) {
    form = .registered(.own(NodeKey(stateType: nil) { _, path in key(path) }))
  }

  /// The context registered under a key.
  public static func registered<Context: EditingContext>(_ key: RestorationKey<Context>) -> ContextParent {
    ContextParent(form: .registered(.same(key.id)))
  }

  /// The context registered under a key that the node's path chooses: that of the node's own document, say.
  public static func registered<Context: EditingContext>(
    _ key: @escaping (NodePath) -> RestorationKey<Context>
  ) -> ContextParent {
    ContextParent { path in key(path).id }
  }

  /// The context of the nearest node above that has one: its own, or one that it needs as
  /// `.registered`, as the window of a document does. A context that comes back has the parent that it
  /// had, if it was a registered one.
  public static var nearestAncestorNode: ContextParent {
    ContextParent(form: .nearestAncestorNode(orRegistered: nil))
  }

  /// The context of the nearest node above that has one, its own or one that it needs; without such a node, the context
  /// registered under a key, as a responder chain ends at the app delegate. A context that comes back has the parent
  /// that it had, wherever its node was moved, if that was a registered one.
  public static func nearestAncestorNode<Context: EditingContext>(
    orRegistered key: RestorationKey<Context>
  ) -> ContextParent {
    ContextParent(form: .nearestAncestorNode(orRegistered: key.id))
  }
}
