import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The blobs found in a damaged file. Their chunks are copied as they are found. Chunks with the ID of an upload never
/// change, so any copy with a valid checksum is right. The digest shows whether all chunks of a blob are there.
struct FoundBlobs {
  private var entries: [Digest: Set<BlobTable.Entry>] = [:]
  private(set) var problems: [StoreFinding] = []
  /// The number of blobs in the new store.
  private(set) var count = 0

  var isEmpty: Bool { entries.isEmpty }

  /// Adds a row if it leads to a blob.
  mutating func add(_ row: FoundRow) {
    guard row.table == nil || row.table == "blobs", row.key.first == BlobTable.Row.whole.rawValue,
      row.key.count == 1 + Digest.size, let entry = try? row.value.withUnsafeBytes({ try BlobTable.entry($0) })
    else { return }
    let digest = Array(row.key.dropFirst()).withUnsafeBytes { Digest(unchecked: $0) }
    entries[digest, default: []].insert(entry)
  }

  /// Chunks are committed in batches of about this many bytes.
  private static let batch = 16 << 20

  /// Copies the chunks that the file still has.
  func copyChunks(of path: String, to tables: StoreTables, _ environment: Environment) throws(StorageError) {
    if entries.isEmpty { return }
    // How many chunks each upload has.
    var uploads: [ArraySlice<UInt8>: Int] = [:]
    for entry in entries.values.joined() {
      let upload = BlobTable.key(entry.upload, chunk: 0)[..<17]
      uploads[upload] = max(uploads[upload] ?? 0, entry.chunkCount)
    }
    var rows: [(key: [UInt8], value: [UInt8])] = []
    var bytes = 0
    var failure: StorageError?
    func write() {
      do throws(StorageError) {
        try environment.write { (transaction) throws(StorageError) in
          let table = try tables.blobs.table(transaction.view)
          for row in rows { try transaction.put(table, key: row.key.span.bytes, value: row.value.span.bytes) }
        }
      } catch {
        failure = failure ?? error
      }
      (rows, bytes) = ([], 0)
    }
    _ = try RowScan.run(of: path, growing: "log") { row in
      guard failure == nil, row.table == nil || row.table == "blobs", row.key.count == 21,
        let chunks = uploads[row.key.prefix(17)], row.key.suffix(4).reduce(0, { $0 << 8 | Int($1) }) < chunks,
        (try? row.value.withUnsafeBytes({ try ValueChunk.piece($0).count })) != nil
      else { return }
      rows.append((Array(row.key), Array(row.value)))
      bytes += row.value.count
      if bytes >= Self.batch { write() }
    }
    if !rows.isEmpty { write() }
    if let failure { throw failure }
  }

  /// Makes blobs of the uploads whose bytes are complete. The log says which blobs are in use. Drafts may have some of
  /// the others, and the next opening removes the rest.
  mutating func write(
    _ references: Set<Blob>, _ table: BlobTable, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var missing = references
    for (digest, found) in entries {
      var isWhole = false
      for entry in found {
        let problem = isWhole ? "" : try table.problem(of: digest, entry, transaction.view)
        if problem == nil {
          isWhole = true
          try table.put(entry, of: digest, transaction)
          if missing.remove(Blob(digest, byteCount: entry.byteCount)) == nil {
            try table.setUnused(digest, transaction)
          }
        } else {
          try table.abandon(entry.upload, transaction)
        }
      }
      if isWhole { count += 1 }
    }
    for blob in missing.sorted(by: { $0.sha256 < $1.sha256 }) {
      problems.append(.lostBlob(blob))
    }
  }
}
