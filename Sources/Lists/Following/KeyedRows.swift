/// Rows in a given order, each with a key, such as the answer of a server or a database.
///
/// Use it to implement a data source that receives all its rows at once. It is a value, so you can make and compare it
/// on one thread and show it on another.
public struct KeyedRows<Key: Hashable, Element: Equatable> {
  /// The rows, in order.
  public let elements: [Element]
  /// The key of each row.
  public let keys: [Key]
  private let indices: [Key: Int]

  /// Makes a value without rows.
  public init() { (elements, keys, indices) = ([], [], [:]) }

  /// Makes a value from rows and their keys.
  ///
  /// - Parameter keys: One key for each row. The result is `nil` if the counts differ, or if two rows have the same
  ///   key.
  /// - Complexity: O(n)
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

  /// The number of rows.
  ///
  /// - Complexity: O(1)
  public var count: Int { elements.count }

  /// Returns the index of the row with a key, or `nil` if there is none.
  ///
  /// - Complexity: O(1)
  public func index(of key: Key) -> Int? { indices[key] }

  /// Returns the changes from earlier rows to these, with as few moves as possible.
  ///
  /// A row is updated if its element does not equal the earlier element with that key. Takes O(n log n) time, or O(n)
  /// if the keys are unchanged.
  ///
  /// - Returns: Empty changes if nothing changed. `nil`, for a reset, if more than 10,000 rows changed.
  public func changes(since earlier: KeyedRows) -> ListChanges? {
    if keys == earlier.keys {
      let updated = elements.indices.filter { elements[$0] != earlier.elements[$0] }
      if updated.count > ListChanges.rowLimit { return nil }
      return ListChanges(updatedRows: updated.map { Self.update($0, $0) })
    }
    func side(_ rows: KeyedRows) -> KeyComparison<Key>.Side {
      .init(snapshot: ListSnapshot(rowCount: rows.count), keys: [rows.keys])
    }
    guard let difference = KeyComparison(from: side(earlier), to: side(self)) else { return nil }
    let updated = difference.kept.filter { earlier.elements[$0.from.item] != elements[$0.to.item] }
    let changes = difference.changes(updated: updated.map { Self.update($0.from.item, $0.to.item) })
    return changes.rowCount > ListChanges.rowLimit ? nil : changes
  }

  private static func update(_ before: Int, _ after: Int) -> ListChanges.Update {
    ListChanges.Update(before: RowPath(item: before), after: RowPath(item: after), properties: [])
  }
}

extension KeyedRows: Sendable where Key: Sendable, Element: Sendable {}
