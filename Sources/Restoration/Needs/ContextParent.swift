import RepriseObjectGraph

/// The parent of a node's own context.
public struct ContextParent {
  enum Form {
    case registered(NeededKey)
    /// The nearest node above with a context, or the context that is registered under the key.
    case nearestAncestorNode(orRegistered: String?)
  }

  let form: Form

  init(form: Form) { self.form = form }

  /// The context registered under a key.
  public static func registered<Context: EditingContext>(_ key: RestorationKey<Context>) -> ContextParent {
    ContextParent(form: .registered(.same(key.id)))
  }

  /// The context registered under a key that the node's path chooses, such as the context of the node's document.
  public static func registered<Context: EditingContext>(
    _ key: @escaping (NodePath) -> RestorationKey<Context>
  ) -> ContextParent {
    ContextParent(form: .registered(.own(NodeKey(stateType: nil) { _, path in key(path).id })))
  }

  /// The context of the nearest ancestor node that has one.
  ///
  /// An ancestor has a context if it has its own, or if it needs one as `.registered`. For example, a document window
  /// needs its document's context. A restored context whose parent was a registered context gets that parent again.
  /// Without an ancestor that has a context, the node fails.
  public static var nearestAncestorNode: ContextParent {
    ContextParent(form: .nearestAncestorNode(orRegistered: nil))
  }

  /// The context of the nearest ancestor node that has one, or else the context registered under the key.
  ///
  /// An ancestor has a context if it has its own, or if it needs one as `.registered`. A restored context whose parent
  /// was a registered context gets that parent again, wherever its node was moved.
  public static func nearestAncestorNode<Context: EditingContext>(
    orRegistered key: RestorationKey<Context>
  ) -> ContextParent {
    ContextParent(form: .nearestAncestorNode(orRegistered: key.id))
  }
}
