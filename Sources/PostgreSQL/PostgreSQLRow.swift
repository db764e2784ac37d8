#if PostgreSQL && canImport(CReprisePostgreSQL)
/// The values of a row of a `PostgreSQLQuery`, by columns, as PostgreSQL writes them as texts.
public struct PostgreSQLRow: Hashable, Sendable {
  /// The columns, in the order of the query.
  public let columns: [String]
  /// Their values; `nil` for null.
  public let values: [String?]

  /// The text of a column, the first if several have this name; `nil` if none has, or if it is null.
  public subscript(column: String) -> String? { columns.firstIndex(of: column).flatMap { values[$0] } }

  /// The value of a column as a type that can be read from a text, such as `Int`; `nil` if there is none, or if it is
  /// none of that type.
  public subscript<Value: LosslessStringConvertible>(column: String, as type: Value.Type) -> Value? {
    self[column].flatMap { Value($0) }
  }

  /// The value of a column of the type boolean.
  public subscript(column: String, as type: Bool.Type) -> Bool? { self[column].map { $0 == "t" } }

  /// Whether both have the same bytes: texts that only look the same, composed and decomposed, are different.
  public static func == (one: PostgreSQLRow, other: PostgreSQLRow) -> Bool {
    one.columns == other.columns && one.values.count == other.values.count
      && zip(one.values, other.values).allSatisfy { one, other in
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
      }
  }
}
#endif
