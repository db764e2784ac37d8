import RepriseLog

/// The result of ``StoreMaintenance/salvage(_:to:)``: the findings, and the content of the new store.
public struct SalvageReport: Sendable {
  /// The number of transactions that the new store has unchanged: the transactions before the first gap. Each one has a
  /// valid checksum and its place in the hash chain.
  public internal(set) var transactions = 0
  /// The positions of the transactions that the new store does not have unchanged: the first unreadable one, and all
  /// after it. `nil` if there are none.
  public internal(set) var lost: ClosedRange<Position>?
  /// The number of intact transactions after the gap. The new store has their changes if the state of the objects could
  /// be determined.
  public internal(set) var intactTransactionsAfterGap = 0
  /// The number of objects whose state is from after the gap: from their records, or from intact transactions.
  /// ``StoreMaintenance/salvage(_:to:)`` writes these states in transactions with the author
  /// "StoreMaintenance.salvage".
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
  /// The content that is missing or uncertain, one sentence each; at most 100.
  public internal(set) var problems: [String] = []

  /// Whether nothing is known to be missing.
  public var isComplete: Bool { lost == nil && problems.isEmpty }

  mutating func found(_ problem: StoreFinding) { if problems.count < 100 { problems.append(problem.description) } }
}

extension SalvageReport: CustomStringConvertible {
  /// The counts, the lost transactions, one line for each problem, and the next step.
  public var description: String {
    var text =
      "Salvaged \(counted(transactions, "transaction")), \(counted(objects, "object")), \(counted(blobs, "blob")), "
      + "\(counted(draftRows, "row")) of drafts, \(counted(screenRows, "row")) of screens and "
      + "\(counted(journals, "journal"))."
    if isComplete { return text }
    if let lost {
      text +=
        " The new store lacks the transactions \(lost.lowerBound) to \(lost.upperBound), because transaction "
        + "\(lost.lowerBound) is missing or damaged. \(counted(intactTransactionsAfterGap, "later transaction")) "
        + "could be read, but not be copied. \(counted(restoredObjects, "object")) got their last known values, in a "
        + "new transaction."
    }
    let advice = "Compare the new store with your last backup before you use it."
    return ([text] + problems + [advice]).joined(separator: "\n")
  }
}
