import RepriseObjectGraph

/// How a fetched list finds its rows, and the cost.
public struct ListPlan: Equatable, Sendable {
  /// The storage of the rows.
  @nonexhaustive
  public enum Rows: Equatable, Sendable {
    /// In the counted index over this property, or over several, as "[folder, name]".
    ///
    /// No rows are in memory. Counts, rows and look-ups take O(log n) time.
    case countedIndex(property: String)
    /// In memory, with 16 to 20 bytes for each row. Rows that limit and offset leave out take memory, too.
    ///
    /// A change takes O(log n) time, and reads the changed objects and some of their neighbours. If the first sort key
    /// does not define the sections, each section has a separate tree, with some 300 bytes more. With a limit or an
    /// offset, there is a further tree for all rows.
    case inMemory
  }

  /// The storage of the rows.
  public let rows: Rows
  /// The number of rows.
  public let rowCount: Int
  /// The approximate memory for the rows, in bytes.
  ///
  /// It does not grow with the rows if an index has them.
  public let memoryInBytes: Int
  /// How many rows of the counted index differ between the list and the head of the log, because of uncommitted changes
  /// or of later saves. It is 0 if the rows are in memory.
  ///
  /// The list looks up each of these rows once, and keeps them in memory.
  public let differencesFromHead: Int
  /// The plan and the cost of the last fetch of all rows, or `nil` if an index has the rows.
  ///
  /// The list fetches its rows when it is made, when you set its fetch, and after too many changes at once.
  public let fetched: FetchExplanation?
}

extension ListPlan: CustomStringConvertible {
  /// The plan in a few sentences, with advice on how to improve it.
  public var description: String {
    switch rows {
    case .countedIndex(let property):
      "\(rowCount) rows. A call reads only the rows that it needs, from the index over '\(property)', in O(log n) "
        + "time. \(differencesFromHead) rows differ from the latest save, because of unsaved changes, or because the "
        + "list's context is behind that save. The list keeps these rows in memory."
    case .inMemory:
      "\(rowCount) rows in memory (\(memoryInBytes) bytes). Each call and each change takes O(log n) time. To keep no "
        + "rows in memory, sort by an indexed attribute, and use only a range of this attribute as the condition. Or "
        + "declare an index over several properties: the condition fixes the first properties, and the list is sorted "
        + "by the rest."
        + (fetched.map { " The last fetch of the rows: \($0)" } ?? "")
    }
  }
}
