/// Rows in a given order, each known by a key, as an answer of a server or a database has them: for implementing a data
/// source that receives all its rows at once.
///
/// A value, which can be made and compared on one thread and shown on another.
public struct KeyedRows<Key: Hashable, Element: Equatable> {
  /// The rows, in order.
  public let elements: [Element]
  /// The key of each row.
  public let keys: [Key]
  private let indices: [Key: Int]

  /// No rows.
  public init() { (elements, keys, indices) = ([], [], [:]) }

  /// Rows with their keys. O(n).
  ///
  /// - Parameter keys: One for each row. `nil` if there are fewer or more, or if two rows have the same.
  public init?(_ elements: [Element], keys: [Key]) {
    guard elements.count == keys.count else { return nil }
    var indices: [Key: Int] = [:]
    indices.reserveCapacity(keys.count)
    for (index, key) in keys.enumerated() {
      guard indices.updateValue(index, forKey: key) == nil else { return nil }
    }
    self.elements = elements
    self.keys = keys
    self.indices = indices
  }

  /// How many rows there are. O(1).
  public var count: Int { elements.count }

  /// Where the row with a key stands. O(1).
  public func index(of key: Key) -> Int? { indices[key] }

  /// What leads from earlier rows to these, with as few moves as possible. A row is updated if its element is not equal
  /// to the one with its key before.
  ///
  /// O(n log n), and O(n) where no row moved.
  ///
  /// - Returns: Empty if nothing changed; `nil`, for a reset, if more than 10,000 rows did.
  public func changes(since earlier: KeyedRows) -> ListChanges? {
    if keys == earlier.keys {
      let updated = elements.indices.filter { elements[$0] != earlier.elements[$0] }
      if updated.count > ListChanges.rowLimit { return nil }
      return ListChanges(updatedRows: updated.map { Self.update($0, $0) })
    }
    func side(_ rows: KeyedRows) -> RowDifference<Key>.Side {
      .init(snapshot: ListSnapshot(rowCount: rows.count), keys: [rows.keys])
    }
    guard let difference = RowDifference(from: side(earlier), to: side(self)) else { return nil }
    let updated = difference.kept.filter { earlier.elements[$0.from.item] != elements[$0.to.item] }
    let changes = difference.changes(updated: updated.map { Self.update($0.from.item, $0.to.item) })
    return changes.rowCount > ListChanges.rowLimit ? nil : changes
  }

  private static func update(_ before: Int, _ after: Int) -> ListChanges.Update {
    ListChanges.Update(before: RowPath(item: before), after: RowPath(item: after), properties: [])
  }
}

extension KeyedRows: Sendable where Key: Sendable, Element: Sendable {}
