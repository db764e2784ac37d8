import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The rows of a ``LogProjection``, after the transactions applied so far. Read a row with its key, set it, or set
/// `nil` to remove it.
///
/// Use the value only during the call that received it. Afterwards it reads nothing.
public struct ProjectionRows {
  /// Rows in the store. `nil` if there are none.
  private let base: Base?
  /// The rows set since the last ``settle()``, by encoded keys.
  private(set) var changes: [[UInt8]: [PropertyValue]?] = [:]
  /// The rows set by earlier transactions.
  private var settled: [[UInt8]: [PropertyValue]?] = [:]
  /// The reason why a row could not be read or set. Then no row of the transaction is written.
  private(set) var failure: Failure?

  struct Base {
    let table: ProjectionTable
    let number: UInt32
    /// The position, for a projection that keeps the past.
    let position: Position?
    let view: LentView
  }

  enum Failure: Error {
    case storage(StorageError)
    case keyTooLong(Int)
  }

  init(_ base: Base?) { self.base = base }

  /// Moves the changes to ``settled``, and returns them.
  mutating func settle() -> [[UInt8]: [PropertyValue]?] {
    defer { changes = [:] }
    settled.merge(changes) { $1 }
    return changes
  }

  /// The value of a row; `nil` if there is none. Setting `nil` removes the row. O(log n). A key of more than 480 bytes
  /// makes the projection fail.
  public subscript(key: [PropertyValue]) -> [PropertyValue]? {
    mutating get {
      let key = RowCoding.encoded(key)
      if let changed = changes[key] ?? settled[key] { return changed }
      guard let base else { return nil }
      do throws(StorageError) {
        return try base.view.read { (view) throws(StorageError) in
          try base.table.value(of: key, base.number, at: base.position, view)
        } ?? nil
      } catch {
        failure = failure ?? .storage(error)
        return nil
      }
    }
    set {
      let key = RowCoding.encoded(key)
      if key.count > ProjectionTable.longestKey { failure = failure ?? .keyTooLong(key.count) }
      changes[key] = .some(newValue)
    }
  }

  /// The value of a row that is one number, for counters; 0 if there is no row. Setting 0 removes the row. O(log n).
  public subscript(number key: [PropertyValue]) -> Int {
    mutating get {
      if case .int(let number)? = self[key]?.first { return Int(clamping: number) }
      return 0
    }
    set { self[key] = newValue == 0 ? nil : [.int(Int64(newValue))] }
  }

  /// The rows whose keys begin with `prefix`, ordered by key. Rows that were set but are not written yet are included.
  ///
  /// A search takes O(log n) for n stored rows of the projection, and each returned row takes a step. Each call also
  /// sorts all rows that are set but not written yet. They are from this call of `apply`, or from earlier transactions
  /// of the same commit.
  ///
  /// - Parameters:
  ///   - prefix: The first values of the keys; empty for all rows.
  ///   - key: The last key of the previous page: only rows after it are returned.
  ///   - limit: The most rows to return.
  public mutating func rows(
    with prefix: [PropertyValue] = [], after key: [PropertyValue]? = nil, limit: Int = 100
  ) -> [ProjectionRow] {
    do throws(StorageError) {
      return try found(RowCoding.prefix(prefix), after: key.map(RowCoding.encoded), limit: limit)
    } catch {
      failure = failure ?? .storage(error)
      return []
    }
  }

  private func found(_ prefix: [UInt8], after last: [UInt8]?, limit: Int) throws(StorageError) -> [ProjectionRow] {
    var found: [ProjectionRow] = []
    var pending = settled.merging(changes) { $1 }.filter { key, _ in
      key.starts(with: prefix) && last.map { $0.lexicographicallyPrecedes(key) } ?? true
    }
    .sorted { $1.key.lexicographicallyPrecedes($0.key) }
    func add(_ key: some Sequence<UInt8>, _ value: [PropertyValue]?) throws(StorageError) {
      guard let value, found.count < limit else { return }
      found.append(ProjectionRow(key: Self.key(Array(key)), value: value))
    }
    try scan(from: max(prefix, last ?? [])) { (key, value) throws(StorageError) in
      guard found.count < limit, key.starts(with: prefix) else { return false }
      if let last, key.elementsEqual(last) { return true }
      while let next = pending.last, next.key.lexicographicallyPrecedes(key) {
        try add(next.key, next.value)
        pending.removeLast()
      }
      if let next = pending.last, next.key.elementsEqual(key) {
        pending.removeLast()
        try add(next.key, next.value)
      } else {
        try add(key, value)
      }
      return found.count < limit
    }
    while let next = pending.popLast(), found.count < limit { try add(next.key, next.value) }
    return found
  }

  private func max(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] { one.lexicographicallyPrecedes(other) ? other : one }

  private func scan(
    from start: [UInt8], _ body: (ArraySlice<UInt8>, [PropertyValue]) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard let base else { return }
    _ = try base.view.read { (view) throws(StorageError) in
      try base.table.scan(base.number, from: start, at: base.position, view, body)
    }
  }

  /// The values of an encoded key.
  static func key(_ bytes: [UInt8]) -> [PropertyValue] {
    (try? bytes.lend { (bytes) throws(MalformedBytes) in
      var reader = ByteReader(bytes)
      return try RowCoding.values(&reader)
    }) ?? []
  }
}
