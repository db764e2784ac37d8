import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  /// Returns the value of a row of a projection, or `nil` if there is no such row.
  ///
  /// If the projection keeps past rows, the result is the row at this context's position. Otherwise, it is the row at
  /// the head. Uncommitted changes are excluded.
  ///
  /// Takes O(log n). If programs without the projection have saved since, it also reads the transactions after the last
  /// commit of a program with it.
  ///
  /// - Throws: ``ProjectionError`` or ``StoreError``.
  public func row(of projection: some LogProjection, at key: [PropertyValue]) throws -> [PropertyValue]? {
    try read(projection) { $0[key] }
  }

  /// Returns a row that is one number, such as a counter, or 0 if there is no such row; otherwise like ``row(of:at:)``.
  public func number(of projection: some LogProjection, at key: [PropertyValue]) throws -> Int {
    try read(projection) { $0[number: key] }
  }

  /// Returns the rows of a projection whose keys begin with `prefix`, in key order; otherwise like ``row(of:at:)``.
  ///
  /// - Parameters:
  ///   - projection: A projection of the store.
  ///   - prefix: The first values of the keys.
  ///   - key: Only rows after this key are returned. Pass the last key of the previous page.
  ///   - limit: The largest number of rows to return.
  public func rows(
    of projection: some LogProjection, with prefix: [PropertyValue] = [], after key: [PropertyValue]? = nil,
    limit: Int = 100
  ) throws -> [ProjectionRow] { try read(projection) { $0.rows(with: prefix, after: key, limit: limit) } }

  private func read<Success>(
    _ projection: some LogProjection, _ body: (inout ProjectionRows) throws -> Success
  ) throws -> Success {
    if self is PastContext, !projection.keepsHistory { throw ProjectionError.headOnly(name: projection.name) }
    return try store.log.read(projection, at: position, body)
  }
}
