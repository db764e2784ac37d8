import RepriseLMDB
import RepriseObjectModel

/// The reverse index of a to-one relationship: its rows by target. Not counted: the members of one target are few, or
/// are listed through a counted index.
///
/// Key: index number u32 big-endian · level 0 · target UUID · source UUID. Empty values.
package struct PlainIndex: Sendable {
  package let number: UInt32
  package let table: Table

  package init(number: UInt32, table: Table) {
    self.number = number
    self.table = table
  }

  /// A source that already points to the target is damage.
  package func insert(
    target: UniqueID, source: UniqueID, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let key = key(target, source)
    do throws(StorageError) {
      try transaction.insert(table, key: key.span.bytes, value: RawSpan())
    } catch .keyExists {
      throw table.rowExists(key)
    }
  }

  /// Inserts many rows, as if one by one.
  func insert(_ rows: consuming IndexChanges, in transaction: borrowing WriteTransaction) throws(StorageError) {
    var rows = rows
    _ = rows.sort()
    try rows.insert(into: table, transaction)
  }

  /// A source that does not point to the target is damage.
  package func delete(
    target: UniqueID, source: UniqueID, in transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let key = key(target, source)
    if !(try transaction.delete(table, key: key.span.bytes)) { throw table.rowMissing(key) }
  }

  /// The sources that point to the target, in ascending order. O(members).
  package func members(of target: UniqueID, in view: View) throws(StorageError) -> [UniqueID] {
    var members: [UniqueID] = []
    try forEachMember(of: target, in: view) { member in
      members.append(member)
      return true
    }
    return members
  }

  /// Visits the sources that point to the target in ascending order, until `body` returns false.
  package func forEachMember(
    of target: UniqueID, in view: View, _ body: (UniqueID) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let prefix = Self.prefixLength + 16
    let shared = [UInt8](key(target, .zero).prefix(prefix))
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(shared.span.bytes)
    while let found = entry {
      guard found.key.byteCount >= prefix,
        compareBytes(found.key.extracting(first: prefix), shared.span.bytes) == 0
      else { return }
      guard found.key.byteCount == prefix + 16 else {
        throw table.damagedIndex(number, "a row key has \(found.key.byteCount - Self.prefixLength) bytes instead of 32")
      }
      let high = found.key.unsafeLoadUnaligned(fromByteOffset: prefix, as: UInt64.self)
      let low = found.key.unsafeLoadUnaligned(fromByteOffset: prefix + 8, as: UInt64.self)
      guard try body(UniqueID(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))) else { return }
      entry = try cursor.next()
    }
  }

  /// The number of rows, over all targets. O(rows), for verification. Throws if a row has a value.
  package func rowCount(in view: View) throws(StorageError) -> Int {
    let first = [UInt8](key(.zero, .zero).prefix(Self.prefixLength))
    var rows = 0
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(first.span.bytes)
    while let found = entry, found.key.byteCount > Self.prefixLength,
      compareBytes(found.key.extracting(first: Self.prefixLength), first.span.bytes) == 0
    {
      guard found.value.byteCount == 0 else {
        throw table.damagedIndex(number, "the row has a value, but must have none")
      }
      rows += 1
      entry = try cursor.next()
    }
    return rows
  }

  private static let prefixLength = CountedIndex.prefixLength

  private func key(_ target: UniqueID, _ source: UniqueID) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.prefixLength + 32) { buffer, count in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      bytes.storeBytes(of: number.bigEndian, as: UInt32.self)
      bytes[4] = 0
      for (index, word) in [target.high, target.low, source.high, source.low].enumerated() {
        bytes.storeBytes(of: word.bigEndian, toByteOffset: Self.prefixLength + index * 8, as: UInt64.self)
      }
      count = Self.prefixLength + 32
    }
  }
}
