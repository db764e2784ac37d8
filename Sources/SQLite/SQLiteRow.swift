#if SQLite && canImport(GRDB)
import GRDB

/// The values of a row of an `SQLiteQuery`, by column.
public struct SQLiteRow: Hashable, Sendable {
  /// The names of the columns, in the order of the query.
  public let columns: [String]
  /// The values in the order of the columns.
  public let values: [DatabaseValue]

  /// Makes the rows of one answer, which share the array of column names.
  static func reader() -> (Row) -> SQLiteRow {
    var columns: [String]?
    return { row in
      let known = columns ?? Array(row.columnNames)
      columns = known
      return SQLiteRow(columns: known, values: Array(row.databaseValues))
    }
  }

  /// The value of a column; `nil` if no column has the name. If several columns have the name, the first one counts.
  /// Names are case-sensitive. O(columns).
  public subscript(column: String) -> DatabaseValue? { columns.firstIndex(of: column).map { values[$0] } }

  /// The value of a column, converted by GRDB. `nil` if the column is null or missing, or its value cannot be
  /// converted.
  public subscript<Value: DatabaseValueConvertible>(column: String, as type: Value.Type) -> Value? {
    self[column].flatMap { Value.fromDatabaseValue($0) }
  }

  /// Whether both rows have the same columns and bytes. Composed and decomposed forms of a text differ, although they
  /// look the same.
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
