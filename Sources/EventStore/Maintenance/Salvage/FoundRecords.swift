import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The object records found in a damaged file that were written after a position, and the rows of their long values.
/// Takes 64 bytes of memory for each.
///
/// If the log has a floor, the position is 0, because the log alone cannot make the objects.
struct FoundRecords {
  private struct Row {
    let address: ObjectAddress
    let isTombstone: Bool
    let chunk: UInt16
    let offset: Int
    let count: Int

    static func precedes(_ left: Row, _ right: Row) -> Bool {
      if left.address != right.address { return left.address < right.address }
      if left.isTombstone != right.isTombstone { return right.isTombstone }
      return (left.chunk, left.offset) < (right.chunk, right.offset)
    }
  }

  private let position: Position
  private var rows: [Row] = []
  private(set) var longValues = FoundLongValues()

  init(after position: Position) { self.position = position }

  /// Adds a row if it may belong to a record that no commit has replaced.
  mutating func add(_ row: FoundRow) {
    longValues.add(row)
    guard row.standing != .free, row.table == nil || row.table == "objects",
      row.key.count == ObjectKey.size || row.key.count == ObjectKey.size + 2,
      let key = Array(row.key.prefix(ObjectKey.size)).withUnsafeBytes({ ObjectKey($0) }), key.entity > 0
    else { return }
    let chunk = row.key.dropFirst(ObjectKey.size).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    if chunk == 0, row.value.count < ChunkedRows.chunkSize {
      guard let found = Self.position(of: Array(row.value)), found > position else { return }
    }
    rows.append(
      Row(
        address: ObjectAddress(entity: key.entity, uuid: key.uuid), isTombstone: key.isTombstone, chunk: chunk,
        offset: row.offset, count: row.value.count))
  }

  /// The position in a row's record, if the row is a whole record that no commit has replaced.
  static func position(of row: FoundRow) -> Position? {
    guard row.standing != .free, row.table == nil || row.table == "objects", row.key.count == ObjectKey.size else {
      return nil
    }
    return position(of: Array(row.value))
  }

  mutating func sort() {
    rows.sort(by: Row.precedes)
    longValues.sort()
  }

  /// Calls `body` with the latest intact record of each object of a slice, in its stored form.
  func forEach(
    in slice: Range<ObjectAddress>, of file: borrowing DataFile,
    _ body: (ObjectAddress, _ stored: [UInt8]) throws(StorageError) -> Void
  ) throws(StorageError) {
    var start = rows.partitionPoint { $0.address >= slice.lowerBound }
    while start < rows.count, rows[start].address < slice.upperBound {
      let address = rows[start].address
      var end = start
      while end < rows.count, rows[end].address == address { end += 1 }
      let object = rows[start..<end].filter { !$0.isTombstone }
      let tombstone = rows[start..<end].filter(\.isTombstone)
      let whole = try Self.records(object, in: file) + Self.records(tombstone, in: file)
      let latest = whole.max { $0.position < $1.position }
      if let latest, latest.position > position { try body(address, latest.bytes) }
      start = end
    }
  }

  private static func records(
    _ rows: [Row], in file: borrowing DataFile
  ) throws(StorageError) -> [(bytes: [UInt8], position: Position)] {
    var found: [(bytes: [UInt8], position: Position)] = []
    for first in rows where first.chunk == 0 {
      var bytes = try file.read(at: first.offset, count: first.count)
      var last = first
      while last.count == ChunkedRows.chunkSize, let next = rows.first(where: { $0.chunk == last.chunk + 1 }) {
        bytes += try file.read(at: next.offset, count: next.count)
        last = next
      }
      if let position = position(of: bytes), isReadable(bytes) { found.append((bytes, position)) }
    }
    return found
  }

  /// Whether all fields of a record in its stored form can be read.
  private static func isReadable(_ record: [UInt8]) -> Bool {
    let isRead = try? record.lend { (bytes) throws(MalformedBytes) in
      var fields = RecordFields.Cursor(try RecordReader(stored: bytes).fields)
      while try fields.nextNumber() != nil {
        let value = try fields.rawValue()
        switch value.first.flatMap(ValueTag.init(rawValue:)) {
        case .reference, .longValue, .redacted, .nothing, nil: break
        default:
          var reader = ByteReader(value)
          _ = try reader.scalar()
        }
      }
      return true
    }
    return isRead ?? false
  }

  /// The position in a record's stored form.
  static func position(of record: [UInt8]) -> Position? {
    try? record.lend { (bytes) throws(MalformedBytes) in try RecordReader(stored: bytes).position }
  }
}
