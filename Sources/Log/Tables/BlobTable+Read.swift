import RepriseLMDB
import RepriseObjectModel

extension BlobTable {
  /// Appends the bytes of a range, which must lie within the blob.
  package func read(
    _ range: Range<Int>, of entry: Entry, into bytes: inout [UInt8], _ view: View
  ) throws(StorageError) {
    try forEachPiece(range, of: entry, view) { bytes.append(contentsOf: $0) }
  }

  /// Calls `body` with the bytes of a range, in pieces of at most a chunk.
  ///
  /// - Throws: Damage, if a chunk is missing, has a wrong checksum, or a wrong length.
  package func forEachPiece(
    _ range: Range<Int>, of entry: Entry, _ view: View, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(StorageError) {
    if range.isEmpty { return }
    var chunk = range.lowerBound / Self.chunkSize
    var cursor = try view.cursor(table)
    var key = Self.key(entry.upload, chunk: chunk)
    var found = try cursor.seek(key.span.bytes)
    while true {
      guard let row = found, row.key.withUnsafeBytes({ key.elementsEqual($0) }) else {
        throw table.damaged(key, "chunk \(chunk) of a blob is missing")
      }
      let start = chunk * Self.chunkSize
      let wanted = max(range.lowerBound - start, 0)..<min(range.upperBound - start, Self.chunkSize)
      try table.parsing(key, "chunk \(chunk) of a blob") { () throws(MalformedBytes) in
        try row.value.withUnsafeBytes { (bytes) throws(MalformedBytes) in
          let piece = try ValueChunk.piece(bytes)
          guard piece.count == min(Self.chunkSize, entry.byteCount - start) else {
            throw MalformedBytes("a chunk of its length", at: 0)
          }
          body(UnsafeRawBufferPointer(rebasing: piece[wanted]))
        }
      }
      chunk += 1
      if chunk * Self.chunkSize >= range.upperBound { return }
      key = Self.key(entry.upload, chunk: chunk)
      found = try cursor.next()
    }
  }

  /// Why the bytes of a blob do not match its digest. `nil` if they do. Reads all of them.
  package func problem(of digest: Digest, _ entry: Entry, _ view: View) throws(StorageError) -> String? {
    var hash = SHA256()
    do throws(StorageError) {
      try forEachPiece(0..<entry.byteCount, of: entry, view) { hash.update($0) }
    } catch {
      guard let reason = error.damage else { throw error }
      return reason
    }
    return hash.finish() == digest ? nil : "the bytes of the blob do not match its SHA-256"
  }
}
