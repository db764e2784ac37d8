import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  /// Verifies that the bytes of each blob match its digest, and that each blob that the log refers to exists. Reads
  /// all blobs.
  mutating func verifyBlobs(_ view: View) throws(StorageError) {
    let table = try BlobTable(store.tables, view)
    var missing = references.blobs
    var problems: [StoreFinding] = []
    var count = 0
    // The number of chunks of each upload that no blob was found for yet.
    var chunks = try verifyRows(of: table, view)
    try table.forEachBlob(view) { (digest, found) throws(StorageError) in
      count += 1
      switch found {
      case .success(let entry):
        missing.remove(Blob(digest, byteCount: entry.byteCount))
        let more = (chunks.removeValue(forKey: entry.upload) ?? 0) - entry.chunkCount
        if more > 0 {
          problems.append(.chunksAfterEnd(Blob(digest, byteCount: entry.byteCount), chunks: more))
        }
        if let problem = try table.problem(of: digest, entry, view) {
          problems.append(.blob(Blob(digest, byteCount: entry.byteCount), reason: problem))
        }
      case .failure(let error):
        problems.append(.blobRow(digest, reason: error.damage ?? error.reason))
      }
    }
    blobs = count
    for blob in missing.sorted(by: { $0.sha256 < $1.sha256 }) {
      problems.append(.missingBlob(blob))
    }
    for upload in try table.abandoned(view) { chunks[upload] = nil }
    for upload in chunks.keys.sorted() { problems.append(.strayChunks(upload: upload)) }
    for problem in problems { found(problem) }
  }

  /// Verifies that each row has a known form. Returns the number of chunks of each upload.
  private mutating func verifyRows(of table: BlobTable, _ view: View) throws(StorageError) -> [UniqueID: Int] {
    var chunks: [UniqueID: Int] = [:]
    var problems: [StoreFinding] = []
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
        default: problems.append(.row(table: "blobs", problem: "a row of no known form", key: [UInt8](key)))
        }
      }
    }
    for digest in unused {
      let key = BlobTable.key(.whole, digest)
      if try view.reader(table.table).get(key.span.bytes) == nil {
        problems.append(.missingUnusedBlob(digest))
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
