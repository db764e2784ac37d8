/// How long the archive keeps nodes that are not restored.
public struct KeptNodePolicy: Hashable, Sendable {
  /// In how many consecutive launches a node's factory may fail, or find nothing to restore, before the node is dropped
  /// with all below it; `nil` keeps it for ever. Only launches in which the scene wrote something count.
  public var launches: Int?

  /// A policy; five launches by default.
  public init(launches: Int? = 5) { self.launches = launches }
}
