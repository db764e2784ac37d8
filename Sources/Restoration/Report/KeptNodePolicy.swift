/// How long the archive keeps nodes that are not restored.
public struct KeptNodePolicy: Hashable, Sendable {
  /// In how many launches one after the other the factory of a node may fail, or find nothing to restore, before the
  /// node is dropped with all below it; `nil` for ever. A launch counts in which the scene wrote something.
  public var launches: Int?

  /// A policy; five launches if nothing else is said.
  public init(launches: Int? = 5) { self.launches = launches }
}
