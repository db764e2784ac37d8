import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  /// Verifies that the bytes of each long value match its digest, and that the table has no other rows. The check of
  /// the objects compares the values with the log, and reports damage to them.
  mutating func verifyLongValues(_ view: View) throws(StorageError) {
    let table = store.files.objects
    let all = try table.longValues.rowCount(view)
    if all == 0 { return }
    try verifyChunks(view)
    var (problems, count, isKnown) = ([StoreFinding](), 0, true)
    let start = CollectionOfOne(ObjectKey(entity: 0, uuid: .zero))
    try table.rows.scan(view, from: start.span.bytes) { (key, stored) throws(StorageError) in
      guard let key = ObjectKey(key), RecordReader.isSplit(stored) else { return true }
      do throws(StorageError) {
        for field in try table.longFields(of: table.reader(of: stored, key), key) {
          let found = try table.longValues.verify(field.value, of: key.uuid, field.number, view)
          count += found.rows
          if found.isSound { continue }
          problems.append(.longValue(object: key.uuid, property: field.number))
        }
      } catch {
        if error.damage == nil { throw error }
        isKnown = false
      }
      return true
    }
    if isKnown, count != all {
      problems.append(.longValueRows(table: LongValueTable.name, rows: all, used: count))
    }
    for problem in problems { found(problem) }
  }

  private mutating func verifyChunks(_ view: View) throws(StorageError) {
    let table = try store.files.objects.longValues.table(view)
    var problems: [StoreFinding] = []
    var cursor = try view.cursor(table)
    while let row = try cursor.next(), problems.count < 10 {
      let size = row.value.byteCount
      guard row.key.byteCount != LongValueKey.size || size <= Checksum.size || size > ChunkedRows.chunkSize else {
        continue
      }
      let key = row.key.withUnsafeBytes { [UInt8]($0) }
      problems.append(.row(table: table.name, problem: "a row of \(size) bytes and no known form", key: key))
    }
    for problem in problems { found(problem) }
  }
}
