import RepriseLMDB
import RepriseObjectModel

/// The table `blobs`: large values, in chunks. Docs/FileFormat/blobs.md.
///
/// The chunks of a blob have the ID of the upload that wrote them in their keys, and never change. Once all are
/// written, a row under the digest refers to them. A blob is **unused** until a transaction refers to it, and again
/// when retention has removed the last reference to it. An upload that did not end, or whose blob was removed, is
/// **abandoned**: its chunks will be removed.
package struct BlobTable {
  package let table: Table

  package init(_ table: Table) { self.table = table }

  /// The table as a view sees it.
  package init(_ tables: StoreTables, _ view: View) throws(StorageError) { table = try tables.blobs.table(view) }

  /// The content of a digest's row.
  package struct Entry: Hashable, Sendable {
    /// The upload that wrote its chunks.
    package let upload: UniqueID
    package let byteCount: Int
    package var chunkCount: Int { (byteCount + BlobTable.chunkSize - 1) / BlobTable.chunkSize }

    package init(upload: UniqueID, byteCount: Int) {
      self.upload = upload
      self.byteCount = byteCount
    }
  }

  /// The kind of a row, in the first byte of its key.
  package enum Row: UInt8 {
    /// Some bytes, by upload and number.
    case chunk = 0
    /// Where a blob lies, by its digest.
    case whole = 1
    /// The digest of an unused blob.
    case unused = 2
    /// An upload whose chunks will be removed.
    case abandoned = 3
  }

  /// All chunks but the last have so many bytes.
  package static let chunkSize = ValueChunk.maximum
  /// No blob has more chunks: their numbers have four bytes.
  package static let chunkLimit = Int(UInt32.max)

  /// The key of a chunk. The chunks of an upload are in the order of the bytes.
  package static func key(_ upload: UniqueID, chunk: Int) -> [UInt8] {
    var writer = ByteWriter(reserving: 21)
    writer.append(Row.chunk.rawValue)
    writer.uuid(upload)
    writer.fixed(UInt32(truncatingIfNeeded: chunk).bigEndian)
    return writer.bytes
  }

  /// The key of a row about a blob.
  package static func key(_ row: Row, _ digest: Digest) -> [UInt8] {
    var writer = ByteWriter(reserving: 33)
    writer.append(row.rawValue)
    writer.digest(digest)
    return writer.bytes
  }

  /// The key of the row that marks an upload as abandoned.
  package static func key(abandoned upload: UniqueID) -> [UInt8] {
    var writer = ByteWriter(reserving: 17)
    writer.append(Row.abandoned.rawValue)
    writer.uuid(upload)
    return writer.bytes
  }

  // MARK: Blobs

  /// Where a blob lies. `nil` if it is not there.
  package func entry(of digest: Digest, _ view: View) throws(StorageError) -> Entry? {
    let key = Self.key(.whole, digest)
    guard let row = try view.reader(table).get(key.span.bytes) else { return nil }
    return try table.parsing(key, "the row of a blob") { () throws(MalformedBytes) in
      try row.withUnsafeBytes { (bytes) throws(MalformedBytes) in try Self.entry(bytes) }
    }
  }

  /// The content of a digest's row, if its checksum is right.
  package static func entry(_ row: UnsafeRawBufferPointer) throws(MalformedBytes) -> Entry {
    var reader = try ByteReader(sealed: row)
    let upload = try reader.uuid("the ID of an upload")
    let byteCount = try reader.blobLength()
    try reader.expectEnd("the end of a blob's row")
    return Entry(upload: upload, byteCount: byteCount)
  }

  package func put(_ entry: Entry, of digest: Digest, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    var writer = ByteWriter.sealing(reserving: 26)
    writer.uuid(entry.upload)
    writer.varint(UInt64(entry.byteCount))
    try put(Self.key(.whole, digest), writer.sealed(), transaction)
  }

  /// Whether a save may refer to a blob.
  package func has(_ blob: Blob, _ view: View) throws(StorageError) -> Bool {
    try entry(of: blob.digest, view)?.byteCount == blob.byteCount
  }

  package func isUnused(_ digest: Digest, _ view: View) throws(StorageError) -> Bool {
    let key = Self.key(.unused, digest)
    return try view.reader(table).get(key.span.bytes) != nil
  }

  package func setUnused(_ digest: Digest, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(Self.key(.unused, digest), [], transaction)
  }

  /// Marks a blob as used, because a transaction refers to it.
  package func keep(_ digest: Digest, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let key = Self.key(.unused, digest)
    try transaction.delete(table, key: key.span.bytes)
  }

  /// Forgets a blob, and abandons its chunks.
  package func forget(_ digest: Digest, _ entry: Entry, _ transaction: borrowing WriteTransaction) throws(StorageError)
  {
    for row in [Row.unused, .whole] {
      let key = Self.key(row, digest)
      try transaction.delete(table, key: key.span.bytes)
    }
    try abandon(entry.upload, transaction)
  }

  // MARK: Uploads

  package func abandon(_ upload: UniqueID, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(Self.key(abandoned: upload), [], transaction)
  }

  /// Writes chunks of an upload.
  package func write(
    _ chunks: SealedChunks, of upload: UniqueID, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var cursor = try transaction.writeCursor(table)
    for chunk in 0..<chunks.count {
      let key = Self.key(upload, chunk: chunks.first + chunk)
      try cursor.put(key: key.span.bytes, value: chunks.row(chunk))
    }
  }

  /// Writes all bytes of a blob within a transaction that refers to it.
  package func bring(_ blob: Blob, _ bytes: [UInt8], _ transaction: borrowing WriteTransaction) throws(StorageError) {
    if bytes.isEmpty { return }
    let upload = UniqueID()
    try write(bytes.withUnsafeBytes { SealedChunks($0, from: 0) }, of: upload, transaction)
    try put(Entry(upload: upload, byteCount: bytes.count), of: blob.digest, transaction)
  }

  /// Removes the row that marks an upload as abandoned, because all its chunks are written or none is left.
  package func end(_ upload: UniqueID, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let key = Self.key(abandoned: upload)
    try transaction.delete(table, key: key.span.bytes)
  }

  /// Removes some chunks of an upload, and then its row. True if nothing is left.
  package func removeSome(
    of upload: UniqueID, limit: Int, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> Bool {
    let start = Self.key(upload, chunk: 0)
    let chunks = try keys(.chunk, from: start, limit: limit, transaction.view).filter { $0.starts(with: start[..<17]) }
    try transaction.delete(table, shown: chunks)
    if chunks.count == limit { return false }
    try end(upload, transaction)
    return true
  }

  // MARK: Rows

  /// The next unused blobs after a digest.
  package func unused(behind last: Digest, limit: Int, _ view: View) throws(StorageError) -> [Digest] {
    guard let first = last.next else { return [] }
    return try keys(.unused, from: Self.key(.unused, first), limit: limit, view).map { key in
      key.withUnsafeBytes { Digest(unchecked: UnsafeRawBufferPointer(rebasing: $0[1...])) }
    }
  }

  package func abandoned(_ view: View) throws(StorageError) -> [UniqueID] {
    try keys(.abandoned, from: [Row.abandoned.rawValue], limit: .max, view).map { key in
      key.withUnsafeBytes { bytes in
        func word(_ at: Int) -> UInt64 { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) }
        return UniqueID(high: word(1), low: word(9))
      }
    }
  }

  /// Calls `body` with each blob, by ascending digest.
  package func forEachBlob(
    _ view: View, _ body: (Digest, Result<Entry, StorageError>) throws(StorageError) -> Void
  ) throws(StorageError) {
    var next = Digest.zero
    while true {
      let some = try keys(.whole, from: Self.key(.whole, next), limit: 1_000, view)
      for key in some {
        let digest = key.withUnsafeBytes { Digest(unchecked: UnsafeRawBufferPointer(rebasing: $0[1...])) }
        next = digest
        let found: Entry?
        do throws(StorageError) {
          found = try entry(of: digest, view)
        } catch {
          if error.damage == nil { throw error }
          try body(digest, .failure(error))
          continue
        }
        if let found { try body(digest, .success(found)) }
      }
      guard some.count == 1_000, let after = next.next else { return }
      next = after
    }
  }

  /// Whether anything is unused or abandoned. O(log n).
  package func needsCleaning(_ view: View) throws(StorageError) -> Bool {
    var cursor = try view.cursor(table)
    let first = CollectionOfOne(Row.unused.rawValue)
    return try cursor.seek(first.span.bytes) != nil
  }

  private func keys(_ row: Row, from first: [UInt8], limit: Int, _ view: View) throws(StorageError) -> [[UInt8]] {
    let size = row == .chunk ? 21 : row == .abandoned ? 17 : 33
    var keys: [[UInt8]] = []
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(first.span.bytes)
    while let found = entry, keys.count < limit {
      let key = found.key.withUnsafeBytes { [UInt8]($0) }
      guard key.first == row.rawValue else { break }
      if key.count == size { keys.append(key) }
      entry = try cursor.next()
    }
    return keys
  }

  private func put(
    _ key: [UInt8], _ value: [UInt8], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
  }
}

extension Digest {
  /// The next digest. `nil` for the last one.
  fileprivate var next: Digest? {
    var words = words
    words.3 &+= 1
    if words.3 == 0 { words.2 &+= 1 }
    if words.3 == 0, words.2 == 0 { words.1 &+= 1 }
    if words.3 == 0, words.2 == 0, words.1 == 0 { words.0 &+= 1 }
    return words == (0, 0, 0, 0) ? nil : Digest(words: words)
  }
}
