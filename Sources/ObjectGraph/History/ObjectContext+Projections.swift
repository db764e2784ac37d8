import RepriseEventStore
import RepriseObjectModel

extension ObjectContext {
  /// The value of a row of a projection; `nil` if there is none.
  ///
  /// The rows are those at this context's position if the projection keeps the past, else those at the head.
  /// Uncommitted changes are not among them. O(log n), and the transactions that programs without the projection have
  /// saved since the last commit of one with it.
  ///
  /// - Throws: ``ProjectionError``; ``StoreError``.
  public func row(of projection: some LogProjection, at key: [PropertyValue]) throws -> [PropertyValue]? {
    try read(projection) { $0[key] }
  }

  /// A row that is one number, as counters are; 0 if there is none. Otherwise like ``row(of:at:)``.
  public func number(of projection: some LogProjection, at key: [PropertyValue]) throws -> Int {
    try read(projection) { $0[number: key] }
  }

  /// The rows of a projection whose keys begin with `prefix`, in their order; otherwise like ``row(of:at:)``.
  ///
  /// - Parameters:
  ///   - key: Only those behind this one: the last of the page before.
  ///   - limit: The most to return.
  public func rows(
    of projection: some LogProjection, with prefix: [PropertyValue] = [], after key: [PropertyValue]? = nil,
    limit: Int = 100
  ) throws -> [ProjectionRow] { try read(projection) { $0.rows(with: prefix, after: key, limit: limit) } }

  private func read<Success>(
    _ projection: some LogProjection, _ body: (inout ProjectionRows) throws -> Success
  ) throws -> Success {
    if self is PastContext, !projection.keepsPast { throw ProjectionError.headOnly(name: projection.name) }
    return try store.read(projection, at: position, body)
  }
}
