/// What ``Store/rebuild(_:acceptingLoss:)`` made anew.
public struct RebuildReport: Sendable {
  /// How many transactions at the end of the log are lost; above 0 only where that was accepted.
  public internal(set) var lostTransactions = 0
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
      + (lostTransactions > 0 ? " The \(lostTransactions) transactions after those are lost." : "")
  }
}
