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
  /// The counts, and the next step if transactions are lost.
  public var description: String {
    let text =
      "Rebuilt \(counted(objects, "object")) and \(counted(indexRows, "index row")) from "
      + "\(counted(events, "event")) in \(counted(transactions, "transaction"))."
    if lostTransactions == 0 { return text }
    let lost = counted(lostTransactions, "later transaction")
    return "\(text) The log has lost \(lost). Compare the store with your last backup."
  }
}
