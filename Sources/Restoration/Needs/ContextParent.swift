import RepriseObjectGraph

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
