/// What ``Store/salvage(_:to:)`` found, and what of it the new store has.
public struct SalvageReport: Sendable {
  /// How many transactions of the log are in the new store as they were, each proved by its checksum and by its place
  /// in the chain of hashes: the first ones, without a gap.
  public internal(set) var transactions = 0
  /// The positions of transactions that are not in the new store as they were: one that could not be read, and all
  /// behind it. `nil` if there is none.
  public internal(set) var lost: ClosedRange<Position>?
  /// How many of those behind the gap were whole. Their changes are in the new store where objects could be told from
  /// them.
  public internal(set) var wholeBehindGap = 0
  /// How many objects the new store brought to what their records, or whole transactions behind the gap, say of them.
  /// Transactions of its own do that; their author is "Store.salvage".
  public internal(set) var restoredObjects = 0
  /// How many objects the new store has.
  public internal(set) var objects = 0
  /// How many rows of drafts and of screens were whole, which is not how many drafts and screens.
  public internal(set) var draftRows = 0
  /// How many rows of screens.
  public internal(set) var screenRows = 0
  /// How many journals of uncommitted edits were copied.
  public internal(set) var journals = 0
  /// What is missing or uncertain, each a sentence; at most 100.
  public internal(set) var problems: [String] = []

  /// Whether nothing is known to be missing.
  public var isComplete: Bool { lost == nil && problems.isEmpty }

  mutating func found(_ problem: String) { if problems.count < 100 { problems.append(problem) } }
}

extension SalvageReport: CustomStringConvertible {
  /// The counts, what was lost, and the problems if there are any.
  public var description: String {
    var text =
      "Salvaged \(transactions) transactions, \(objects) objects, \(draftRows) rows of drafts, "
      + "\(screenRows) of screens and \(journals) journals."
    if let lost {
      text +=
        " Transactions \(lost.lowerBound) to \(lost.upperBound) are lost, \(wholeBehindGap) of them could be "
        + "read; \(restoredObjects) objects were brought to what is known of them."
    }
    return ([text] + problems).joined(separator: "\n")
  }
}
