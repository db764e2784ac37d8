/// What ``Store/rebuild(_:)`` made anew.
public struct RebuildReport: Sendable {
  /// How many transactions were read, each with its checksum and its place in the hash chain.
  public internal(set) var transactions = 0
  /// How many events were applied.
  public internal(set) var events = 0
  /// How many objects there are.
  public internal(set) var objects = 0
  /// How many rows the indexes have.
  public internal(set) var indexRows = 0
}

extension RebuildReport: CustomStringConvertible {
  /// The counts.
  public var description: String {
    "Rebuilt \(objects) objects and \(indexRows) index rows from \(events) events in \(transactions) transactions."
  }
}
