import RepriseObjectGraph

/// How a fetched list finds its rows, and what that costs.
public struct ListPlan: Hashable, Sendable {
  /// Where the rows are.
  @nonexhaustive
  public enum Rows: Hashable, Sendable {
    /// In the counted index over this property, or over several as in "[folder, name]": none in memory, and counts,
    /// rows and places cost O(log n).
    case countedIndex(property: String)
    /// In memory, 16 bytes each and at most 4 for the tree that they stand in; those that limit and offset leave out
    /// included. Kept by events: a change costs O(log n), and reads the objects that changed and some of their
    /// neighbours. Where sections are not made of the first sort key, there is a tree for each section, some 300 bytes
    /// more; with limit or offset, another one for all rows.
    case inMemory
  }

  /// Where the rows are.
  public let rows: Rows
  /// How many there are.
  public let rowCount: Int
  /// About what the list keeps in memory for its rows, in bytes; it does not grow with them where an index has them.
  public let memoryInBytes: Int
  /// How many rows differ from the head of the log: uncommitted changes, and what others saved since the list's
  /// position. Each costs one look-up, once.
  public let differencesFromHead: Int
  /// How the rows were found when they were fetched last, and what that cost: when the list was made, or its fetch set,
  /// or more changed than it follows. `nil` where an index has them, of which none was read.
  public let fetched: FetchExplanation?
}

extension ListPlan: CustomStringConvertible {
  /// The plan in a sentence or two, and what would make it better.
  public var description: String {
    switch rows {
    case .countedIndex(let property):
      "\(rowCount) rows from the counted index over '\(property)', none in memory; O(log n) for each answer. "
        + "\(differencesFromHead) rows differ from the head."
    case .inMemory:
      "\(rowCount) rows in memory, \(memoryInBytes) bytes; O(log n) for each answer and change. For a list without "
        + "rows in memory sort by an indexed attribute, with a range of it as the condition if any; or as an index "
        + "over several properties does, of which the condition fixes the first ones."
        + (fetched.map { " They were fetched: \($0)" } ?? "")
    }
  }
}
