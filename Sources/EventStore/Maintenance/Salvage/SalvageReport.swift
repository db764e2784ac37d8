import RepriseLog

/// The result of ``StoreMaintenance/salvage(_:to:)``: the findings, and the content of the new store.
public struct SalvageReport: Sendable {
  /// The number of transactions that are in the new store unchanged, each proved by its checksum and its place in the
  /// hash chain: the first ones of the log, without a gap.
  public internal(set) var transactions = 0
  /// The positions of transactions that are not in the new store unchanged: the first unreadable one, and all after it.
  /// `nil` if there are none.
  public internal(set) var lost: ClosedRange<Position>?
  /// The number of intact transactions after the gap. The new store has their changes where the state of the objects
  /// could be determined.
  public internal(set) var intactTransactionsAfterGap = 0
  /// The number of objects brought to the state in their records or in intact transactions after the gap, by
  /// transactions of the new store's own with the author "StoreMaintenance.salvage".
  public internal(set) var restoredObjects = 0
  /// The number of objects in the new store.
  public internal(set) var objects = 0
  /// The number of intact rows of drafts, which is not the number of drafts.
  public internal(set) var draftRows = 0
  /// The number of intact rows of screens, which is not the number of screens.
  public internal(set) var screenRows = 0
  /// The number of blobs in the new store, each proved by its digest.
  public internal(set) var blobs = 0
  /// The number of copied journals, which hold uncommitted edits.
  public internal(set) var journals = 0
  /// The content that is missing or uncertain, each a sentence; at most 100.
  public internal(set) var problems: [String] = []

  /// Whether nothing is known to be missing.
  public var isComplete: Bool { lost == nil && problems.isEmpty }

  mutating func found(_ problem: String) { if problems.count < 100 { problems.append(problem) } }
}

extension SalvageReport: CustomStringConvertible {
  /// The counts, the lost transactions, and any problems.
  public var description: String {
    var text =
      "Salvaged \(transactions) transactions, \(objects) objects, \(draftRows) rows of drafts, "
      + "\(screenRows) of screens and \(journals) journals."
    if blobs > 0 { text += " There are \(blobs) blobs." }
    if let lost {
      text +=
        " Transactions \(lost.lowerBound) to \(lost.upperBound) are lost, \(intactTransactionsAfterGap) of them could "
        + "be read; \(restoredObjects) objects were brought to what is known of them."
    }
    return ([text] + problems).joined(separator: "\n")
  }
}
