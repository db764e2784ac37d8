import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  /// Verifies that the bytes of each long value are those of its digest, and that the table has no others. Whether they
  /// are what the log says is verified with the objects, and so is damage to them.
  mutating func verifyLongValues(_ view: View) throws(StorageError) {
    let table = store.files.objects
    let all = try table.ropes.rowCount(view)
    if all == 0 { return }
    try verifyChunks(view)
    var (problems, count, isKnown) = ([String](), 0, true)
    let start = CollectionOfOne(ObjectKey(entity: 0, uuid: .zero))
    try table.rows.scan(view, from: start.span.bytes) { (key, stored) throws(StorageError) in
      guard let key = ObjectKey(key), RecordReader.isSplit(stored) else { return true }
      do throws(StorageError) {
        for field in try table.longFields(of: table.reader(of: stored, key), key) {
          let found = try table.ropes.verify(field.value, of: key.uuid, field.number, view)
          count += found.rows
          if found.isSound { continue }
          problems.append(
            "The value of property \(field.number) of \(key.uuid) is not the one that its digest was made of.")
        }
      } catch {
        if error.damage == nil { throw error }
        isKnown = false
      }
      return true
    }
    if isKnown, count != all {
      problems.append("The table '\(RopeTable.name)' has \(all) rows, of which \(count) belong to objects.")
    }
    for problem in problems { found(problem) }
  }

  private mutating func verifyChunks(_ view: View) throws(StorageError) {
    let table = try store.files.objects.ropes.table(view)
    var problems: [String] = []
    var cursor = try view.cursor(table)
    while let row = try cursor.next(), problems.count < 10 {
      let size = row.value.byteCount
      guard row.key.byteCount != RopeKey.size || size <= Checksum.size || size > ChunkedRows.chunkSize else { continue }
      let key = row.key.withUnsafeBytes { [UInt8]($0) }
      problems.append(
        "The table '\(table.name)' has a row of no known form: \(size) bytes, with the key \(hexadecimal(key)).")
    }
    for problem in problems { found(problem) }
  }
}
