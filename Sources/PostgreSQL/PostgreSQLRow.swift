#if PostgreSQL && canImport(CReprisePostgreSQL)
/// The values of a row of a `PostgreSQLQuery`, by column, in PostgreSQL's text form.
public struct PostgreSQLRow: Hashable, Sendable {
  /// The names of the columns, in the order of the query.
  public let columns: [String]
  /// The values in the order of the columns; `nil` for null.
  public let values: [String?]

  /// The text in a column; `nil` if it is null, or if no column has the name. If several columns have the name, the
  /// first one counts. O(columns).
  public subscript(column: String) -> String? { columns.firstIndex(of: column).flatMap { values[$0] } }

  /// The value of a column, converted from its text to a type such as `Int`. `nil` if the column is null or missing, or
  /// its text has another form.
  public subscript<Value: LosslessStringConvertible>(column: String, as type: Value.Type) -> Value? {
    self[column].flatMap { Value($0) }
  }

  /// The value of a Boolean column; `nil` if it is null or missing.
  public subscript(column: String, as type: Bool.Type) -> Bool? { self[column].map { $0 == "t" } }

  /// Whether both rows have the same columns and bytes. Composed and decomposed forms of a text differ, although they
  /// look the same.
  public static func == (one: PostgreSQLRow, other: PostgreSQLRow) -> Bool {
    one.columns == other.columns && one.values.count == other.values.count
      && zip(one.values, other.values).allSatisfy { one, other in
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
      }
  }
}
#endif
