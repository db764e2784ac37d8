import RepriseLMDB
import RepriseObjectModel

extension ObjectTable {
  /// Writes a record. Its long values go to another table.
  ///
  /// - Parameter old: The record that is there, whole. `nil` if there is none.
  package func put(
    _ record: [UInt8], _ key: ObjectKey, replacing old: [UInt8]?, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var (stored, size) = (record, old?.count ?? 0)
    // Two statements, because `||` loses the types of their errors.
    let isLong = try mayBeSplit(record, key)
    let wasLong = try mayBeSplit(old, key)
    if isLong || wasLong {
      let former = try former(key, old, transaction.view)
      stored = try split(record, key, replacing: former, transaction)
      size = former.size
    }
    let key = CollectionOfOne(key)
    try rows.put(transaction, key: key.span.bytes, value: stored, replacing: size)
  }

  /// Appends a record at the end of the table, for an object without rows of long values.
  package func append(
    _ record: [UInt8], _ key: ObjectKey, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let stored = try mayBeSplit(record, key) ? split(record, key, replacing: Former(), transaction) : record
    let key = CollectionOfOne(key)
    try rows.append(transaction, key: key.span.bytes, value: stored)
  }

  /// Removes a record.
  ///
  /// - Parameter record: Whole.
  package func delete(
    _ key: ObjectKey, _ record: [UInt8], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var size = record.count
    if try mayBeSplit(record, key) {
      let former = try former(key, record, transaction.view)
      for number in former.longValues.keys { try longValues.remove(key.uuid, number, transaction) }
      size = former.size
    }
    let key = CollectionOfOne(key)
    try rows.delete(transaction, key: key.span.bytes, size: size)
  }

  /// False for a record without a value that is long enough to be split. Then the record need not be read again. The
  /// size of a record mostly decides this.
  private func mayBeSplit(_ record: [UInt8]?, _ key: ObjectKey) throws(StorageError) -> Bool {
    guard let record, record.count > LongValue.leastToStay else { return false }
    return try record.lend { (bytes) throws(StorageError) in
      try !contents(of: parsed(bytes, key), key, where: { _, length in length >= LongValue.leastToStay }).isEmpty
    }
  }

  /// The record that another one replaces.
  private struct Former {
    var record: [UInt8]?
    /// The size of the stored form.
    var size = 0
    var longValues: [UInt32: LongValue] = [:]
  }

  private func former(_ key: ObjectKey, _ record: [UInt8]?, _ view: View) throws(StorageError) -> Former {
    var former = Former(record: record)
    guard let record else { return former }
    former.size = record.count
    if try !mayBeSplit(record, key) { return former }
    let row = CollectionOfOne(key)
    _ = try rows.read(view, key: row.span.bytes) { (stored) throws(StorageError) in
      former.size = stored.count
      if !RecordReader.isSplit(stored) { return }
      for field in try longFields(of: reader(of: stored, key), key) { former.longValues[field.number] = field.value }
    }
    return former
  }

  /// Writes the long values of a record to their own table, and returns the stored form of the record.
  private func split(
    _ record: [UInt8], _ key: ObjectKey, replacing former: Former, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> [UInt8] {
    try record.lend { (bytes) throws(StorageError) in
      let fields = try parsed(bytes, key)
      var longValues: [UInt32: LongValue] = [:]
      let contents = try contents(of: fields, key) { number, length in
        length >= (former.longValues[number] == nil ? LongValue.least : LongValue.leastToStay)
      }
      for content in contents { longValues[content.number] = try write(content, key, over: former, transaction) }
      for number in former.longValues.keys where longValues[number] == nil {
        try self.longValues.remove(key.uuid, number, transaction)
      }
      if longValues.isEmpty { return record }
      var writer = ByteWriter.sealing(reserving: LongValue.least)
      writer.append(fields.head(RecordReader.splitKind))
      var copied = 0
      for content in contents {
        writer.append(UnsafeRawBufferPointer(rebasing: fields.fields.bytes[copied..<content.range.lowerBound]))
        copied = content.range.upperBound
        if let longValue = longValues[content.number] { writer.longValue(longValue) }
      }
      writer.append(UnsafeRawBufferPointer(rebasing: fields.fields.bytes[copied...]))
      return writer.sealed()
    }
  }

  /// Writes a long value. If the property had a long value before, writes only the chunks that change.
  private func write(
    _ content: Content, _ key: ObjectKey, over former: Former, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> LongValue {
    if let longValue = former.longValues[content.number], longValue.isText == content.isText, let record = former.record
    {
      let isSame = try record.lend { (bytes) throws(StorageError) -> Bool? in
        let number = content.number
        guard let old = try contents(of: parsed(bytes, key), key, where: { at, _ in at == number }).first else {
          return nil
        }
        if old.bytes.isSame(as: content.bytes) { return true }
        try longValues.change(old.bytes, to: content.bytes, of: key.uuid, number, transaction)
        return false
      }
      if isSame == true { return longValue }
      if isSame == false { return LongValue(content.bytes, isText: content.isText) }
    }
    try longValues.write(content.bytes, of: key.uuid, content.number, transaction)
    return LongValue(content.bytes, isText: content.isText)
  }

  /// A text or bytes in a whole record.
  private struct Content {
    let number: UInt32
    let bytes: UnsafeRawBufferPointer
    let isText: Bool
    /// The place of the value in the record's fields, including its tag.
    let range: Range<Int>
  }

  /// Parses a whole record that was just read or made, so an error means damage.
  private func parsed(_ record: UnsafeRawBufferPointer, _ key: ObjectKey) throws(StorageError) -> RecordReader {
    try table.parsing(key.bytes, "the stored object \(key.uuid)") { () throws(MalformedBytes) in
      try RecordReader(unsealed: UnsafeRawBufferPointer(rebasing: record.dropFirst(Checksum.size)))
    }
  }

  private func contents(
    of record: RecordReader, _ key: ObjectKey, where isWanted: (_ property: UInt32, _ byteCount: Int) -> Bool
  ) throws(StorageError) -> [Content] {
    try table.parsing(key.bytes, "the stored object \(key.uuid)") { () throws(MalformedBytes) in
      var found: [Content] = []
      var cursor = RecordFields.Cursor(record.fields)
      while let number = try cursor.nextNumber() {
        let start = cursor.reader.offset
        guard let content = try cursor.rawValue().longContent, isWanted(number, content.bytes.count) else { continue }
        found.append(
          Content(
            number: number, bytes: content.bytes, isText: content.isText, range: start..<cursor.reader.offset))
      }
      return found
    }
  }
}
