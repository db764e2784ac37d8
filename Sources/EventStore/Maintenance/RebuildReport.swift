/// The result of ``StoreMaintenance/rebuild(_:acceptingLoss:)``.
public struct RebuildReport: Sendable {
  /// The number of transactions lost at the end of the log. Above 0 only if `acceptingLoss` was true.
  public internal(set) var lostTransactions = 0
  /// The number of transactions read. Each one has a valid checksum and its place in the hash chain.
  public internal(set) var transactions = 0
  /// The number of events applied to objects.
  public internal(set) var events = 0
  /// The number of objects in the store after the call.
  public internal(set) var objects = 0
  /// The number of rows written to the indexes.
  public internal(set) var indexRows = 0
}

extension RebuildReport: CustomStringConvertible {
  /// The counts.
  public var description: String {
    "Rebuilt \(objects) objects and \(indexRows) index rows from \(events) events in \(transactions) transactions."
      + (lostTransactions > 0 ? " The \(lostTransactions) transactions after those are lost." : "")
  }
}
