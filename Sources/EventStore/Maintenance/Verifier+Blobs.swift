import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  /// Verifies that the bytes of each blob are those of its digest, and that each blob that the log refers to is there.
  /// Reads all of them.
  mutating func verifyBlobs(_ view: View) throws(StorageError) {
    let table = try BlobTable(store.tables, view)
    var missing = references.blobs
    var problems: [String] = []
    var count = 0
    // How many chunks uploads have, of those that no blob was met for.
    var chunks = try verifyRows(of: table, view)
    try table.forEachBlob(view) { (digest, found) throws(StorageError) in
      count += 1
      switch found {
      case .success(let entry):
        missing.remove(Blob(digest, byteCount: entry.byteCount))
        let wanted = (entry.byteCount + BlobTable.chunkSize - 1) / BlobTable.chunkSize
        let more = (chunks.removeValue(forKey: entry.upload) ?? 0) - wanted
        if more > 0 {
          problems.append("The \(Blob(digest, byteCount: entry.byteCount)) has \(more) chunks behind its end.")
        }
        if let problem = try table.problem(of: digest, entry, view) {
          problems.append("The \(Blob(digest, byteCount: entry.byteCount)) is damaged: \(problem).")
        }
      case .failure(let error):
        problems.append("The row of the blob \(digest) is damaged: \(error.damage ?? "").")
      }
    }
    blobs = count
    for blob in missing.sorted(by: { $0.sha256 < $1.sha256 }) {
      problems.append("The log refers to the \(blob), which is not there.")
    }
    for upload in try table.abandoned(view) { chunks[upload] = nil }
    for upload in chunks.keys.sorted() { problems.append("The chunks of the upload \(upload) belong to no blob.") }
    for problem in problems { found(problem) }
  }

  /// Verifies that each row is of a known form. Returns how many chunks each upload has.
  private mutating func verifyRows(of table: BlobTable, _ view: View) throws(StorageError) -> [UniqueID: Int] {
    var chunks: [UniqueID: Int] = [:]
    var problems: [String] = []
    var unused: [Digest] = []
    var cursor = try view.cursor(table.table)
    while let row = try cursor.next() {
      let size = row.value.byteCount
      row.key.withUnsafeBytes { key in
        switch (BlobTable.Row(rawValue: key.first ?? .max), key.count) {
        case (.chunk, 21):
          chunks[UniqueID(bigEndian: key, at: 1), default: 0] += 1
        case (.whole, 33): break
        case (.unused, 33) where size == 0:
          unused.append(Digest(unchecked: UnsafeRawBufferPointer(rebasing: key[1...])))
        case (.abandoned, 17) where size == 0: break
        default: problems.append("The table 'blobs' has a row of no kind, with the key \(hexadecimal([UInt8](key))).")
        }
      }
    }
    for digest in unused {
      let key = BlobTable.key(.whole, digest)
      if try view.reader(table.table).get(key.span.bytes) == nil {
        problems.append("The blob \(digest) is unused, and not there.")
      }
    }
    for problem in problems { found(problem) }
    return chunks
  }
}

extension UniqueID {
  fileprivate init(bigEndian bytes: UnsafeRawBufferPointer, at start: Int) {
    func word(_ at: Int) -> UInt64 { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) }
    self.init(high: word(start), low: word(start + 8))
  }
}
