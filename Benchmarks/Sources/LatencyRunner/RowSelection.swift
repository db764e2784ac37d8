/// Which rows a program has.
public protocol RowSelection {
  /// The name of the program.
  static var program: String { get }
  /// What its rows are about, for people.
  static var subject: String { get }
  /// Whether the program has the row of this name.
  static func includes(_ row: String) -> Bool
}

/// Every row: only together do they make a document or a baseline.
public enum AllRows: RowSelection {
  public static let program = "restore-latency"
  public static let subject = "the same work"
  public static func includes(_ row: String) -> Bool { true }
}

/// Fetches, counts and places.
public enum QueryRows: RowSelection {
  public static let program = "query-latency"
  public static let subject = "the same queries"
  public static func includes(_ row: String) -> Bool { row.hasPrefix("query.") }
}

/// Time travel: the past, what takes it back, and what another process saves.
public enum HistoryRows: RowSelection {
  public static let program = "time-travel"
  public static let subject = "the same questions about the past"
  public static func includes(_ row: String) -> Bool {
    ["past.", "history.", "undo.", "merge.", "feed.", "log.keystroke", "compact", "backup", "copy"]
      .contains { row.hasPrefix($0) }
  }
}

/// Live lists: opening one, and following a change.
public enum ListRows: RowSelection {
  public static let program = "list-latency"
  public static let subject = "the same lists"
  public static func includes(_ row: String) -> Bool { row.hasPrefix("list.") }
}
