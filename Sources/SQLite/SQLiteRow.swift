#if SQLite && canImport(GRDB)
import GRDB

/// The values of a row of an `SQLiteQuery`, by columns.
public struct SQLiteRow: Hashable, Sendable {
  /// The columns, in the order of the query.
  public let columns: [String]
  /// Their values.
  public let values: [DatabaseValue]

  /// Makes the rows of one answer, which share the names of their columns.
  static func reader() -> (Row) -> SQLiteRow {
    var columns: [String]?
    return { row in
      let known = columns ?? Array(row.columnNames)
      columns = known
      return SQLiteRow(columns: known, values: Array(row.databaseValues))
    }
  }

  /// The value of a column, the first if several have this name; `nil` if none has. Case counts.
  public subscript(column: String) -> DatabaseValue? { columns.firstIndex(of: column).map { values[$0] } }

  /// The value of a column as a type that GRDB converts to; `nil` if there is none, if it is null, or if it is none of
  /// that type.
  public subscript<Value: DatabaseValueConvertible>(column: String, as type: Value.Type) -> Value? {
    self[column].flatMap { Value.fromDatabaseValue($0) }
  }

  /// Whether both have the same bytes: texts that only look the same, composed and decomposed, are different.
  public static func == (one: SQLiteRow, other: SQLiteRow) -> Bool {
    one.columns == other.columns && one.values.count == other.values.count
      && zip(one.values, other.values).allSatisfy { isSame($0, $1) }
  }

  private static func isSame(_ one: DatabaseValue, _ other: DatabaseValue) -> Bool {
    switch (one.storage, other.storage) {
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.int64, .double), (.double, .int64): false
    default: one == other
    }
  }
}
#endif
