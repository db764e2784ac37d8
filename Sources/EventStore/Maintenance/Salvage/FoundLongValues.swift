import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The rows of long values found in a damaged file that no commit has replaced.
struct FoundLongValues {
  private struct Row {
    let key: LongValueKey
    let standing: FoundRow.Standing
    let offset: Int
    let count: Int

    static func precedes(_ left: Row, _ right: Row) -> Bool {
      let (one, other) = (left.key, right.key)
      if one.object != other.object { return one.object < other.object }
      return (one.property, one.order, left.standing, left.offset)
        < (other.property, other.order, right.standing, right.offset)
    }
  }

  private var rows: [Row] = []

  mutating func add(_ row: FoundRow) {
    guard row.standing != .free, row.table == nil || row.table == LongValueTable.name,
      let key = Array(row.key).withUnsafeBytes({ LongValueKey($0) }),
      (try? row.value.withUnsafeBytes({ try ValueChunk.piece($0).count })) != nil
    else { return }
    rows.append(Row(key: key, standing: row.standing, offset: row.offset, count: row.value.count))
  }

  mutating func sort() { rows.sort(by: Row.precedes) }

  /// A record with all its values. `nil` if the bytes are not a record. If parts of a value are missing, the record
  /// gets the former value, if it is known, and the property is returned as lost.
  func whole(
    _ stored: [UInt8], _ object: UniqueID, before: [UInt8]?, of file: borrowing DataFile
  ) throws(StorageError) -> (record: [UInt8]?, lost: [UInt32]) {
    guard stored.withUnsafeBytes(RecordReader.isSplit) else { return (stored, []) }
    var contents: [UInt32: [UInt8]] = [:]
    for field in Self.longFields(of: stored) {
      contents[field.number] = try content(of: field.value, object, field.number, file)
    }
    var lost: [UInt32] = []
    let record = try? stored.lend { (bytes) throws(MalformedBytes) in
      let record = try RecordReader(stored: bytes)
      var writer = ByteWriter.sealing(reserving: stored.count)
      writer.append(record.head(RecordKind.object.rawValue))
      var cursor = RecordFields.Cursor(record.fields)
      while let number = try cursor.nextNumber() {
        let raw = try cursor.rawValue()
        if let content = contents[number] {
          var reader = ByteReader(raw)
          writer.varint(UInt64(number))
          writer.append((try reader.longValue().isText ? ValueTag.string : .bytes).rawValue)
          writer.sized(content)
        } else if raw.first == ValueTag.longValue.rawValue {
          lost.append(number)
          guard let former = Self.value(of: number, in: before) else { continue }
          writer.varint(UInt64(number))
          writer.append(former)
        } else {
          writer.varint(UInt64(number))
          writer.append(raw)
        }
      }
      return writer.sealed()
    }
    return (record, lost)
  }

  private static func longFields(of stored: [UInt8]) -> [RecordReader.LongField] {
    (try? stored.lend { (bytes) throws(MalformedBytes) in try RecordReader(stored: bytes).longFields() }) ?? []
  }

  private static func value(of number: UInt32, in record: [UInt8]?) -> [UInt8]? {
    guard let record else { return nil }
    return try? record.lend { (bytes) throws(MalformedBytes) in
      try RecordReader(bytes).fields.raw(number).map { [UInt8]($0) }
    }
  }

  /// The bytes of a value. `nil` if the remaining bytes do not match its digest.
  private func content(
    of value: LongValue, _ object: UniqueID, _ property: UInt32, _ file: borrowing DataFile
  ) throws(StorageError) -> [UInt8]? {
    func isBefore(_ key: LongValueKey) -> Bool {
      key.object != object ? key.object < object : key.property < property
    }
    let first = rows.partitionPoint { !isBefore($0.key) }
    let found = rows[first...].prefix { $0.key.object == object && $0.key.property == property }
    // If a row was moved, its former copy may still be on a page that nothing leads to.
    for standing in [FoundRow.Standing.inTree, .cutOff] {
      var bytes: [UInt8] = []
      var last: UInt64?
      for row in found where row.standing <= standing && row.key.order != last {
        last = row.key.order
        bytes += try file.read(at: row.offset, count: row.count).dropFirst(Checksum.size)
      }
      if bytes.withUnsafeBytes({ LongValue($0, isText: value.isText) }) == value { return bytes }
    }
    return nil
  }
}
