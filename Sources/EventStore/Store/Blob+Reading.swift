import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension Blob {
  /// All bytes, which are then in memory. Reads them off the caller's thread.
  ///
  /// - Throws: ``BlobError``: the store does not have them, or they are damaged, or the store is closed.
  public func bytes(in store: Store) async throws -> [UInt8] { try await bytes(0..<byteCount, in: store) }

  /// The bytes of a range. O(log n), and their number.
  ///
  /// - Throws: ``BlobError``: `outOfBounds` if the blob does not have them all; else as ``bytes(in:)``.
  public func bytes(_ range: Range<Int>, in store: Store) async throws -> [UInt8] {
    try await SystemThread.run { () throws(BlobError) in try self.read(range, in: store) }
  }

  /// The bytes as a stream: chunks of a quarter of a megabyte, each read when it is asked for.
  ///
  /// Nothing that has a name ever changes, so a stream may take its time: saves, and even the deletion of the object,
  /// make no difference to it.
  ///
  /// - Parameter offset: Where to begin, as after an interrupted download. Beyond the end there are no chunks.
  public func chunks(from offset: Int = 0, in store: Store) -> BlobChunks {
    BlobChunks(blob: self, store: store, offset: max(0, offset))
  }

  /// Writes the bytes to a file, which is made or replaced. If it fails, what was written is left there.
  ///
  /// - Throws: As ``bytes(in:)``; also `BlobError.file` if the file cannot be written.
  public func write(to path: String, in store: Store) async throws {
    let blob = self
    try await SystemThread.run { () throws(BlobError) in
      let file = try BlobFile(writing: path)
      defer { file.close() }
      for start in stride(from: 0, to: blob.byteCount, by: BlobChunks.size) {
        try file.append(blob.read(start..<min(start + BlobChunks.size, blob.byteCount), in: store))
      }
    }
  }
}

/// The bytes of a blob, chunk by chunk; see `Blob.chunks(from:in:)`.
public struct BlobChunks: AsyncSequence, Sendable {
  /// A chunk.
  public typealias Element = [UInt8]
  let blob: Blob
  let store: Store
  let offset: Int

  /// The length of all chunks but the last.
  static let size = 1 << 18

  /// Reads a blob from its beginning, or from the offset.
  public func makeAsyncIterator() -> Iterator { Iterator(blob: blob, store: store, offset: offset) }

  /// Reads one chunk after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let blob: Blob
    let store: Store
    var offset: Int

    /// The next chunk; `nil` at the end.
    ///
    /// - Throws: ``BlobError``, as `Blob.bytes(in:)`; `CancellationError` once the task is cancelled.
    public mutating func next() async throws -> [UInt8]? {
      guard offset < blob.byteCount else { return nil }
      try Task.checkCancellation()
      let (blob, store, range) = (blob, store, offset..<Swift.min(offset + BlobChunks.size, blob.byteCount))
      let bytes = try await SystemThread.run { () throws(BlobError) in try blob.read(range, in: store) }
      offset = range.upperBound
      return bytes
    }
  }
}

extension Blob {
  /// Bytes of a blob, read in snapshots of about a chunk: it never changes, and a long one would keep pages from being
  /// reused.
  fileprivate func read(_ range: Range<Int>, in store: Store) throws(BlobError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else { throw .outOfBounds(range, self) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for start in stride(from: range.lowerBound, to: range.upperBound, by: BlobChunks.size) {
      try append(start..<min(start + BlobChunks.size, range.upperBound), of: store, to: &bytes)
    }
    return bytes
  }

  private func append(_ range: Range<Int>, of store: Store, to bytes: inout [UInt8]) throws(BlobError) {
    do throws(StoreError) { try store.requireOpen() } catch { throw .store(error) }
    let isThere: Bool
    do throws(StorageError) {
      isThere = try store.environment.read { (transaction) throws(StorageError) in
        let table = try BlobTable(store.tables, transaction.view)
        guard let entry = try table.entry(of: digest, transaction.view), entry.byteCount == byteCount
        else {
          return false
        }
        try table.read(range, of: entry, into: &bytes, transaction.view)
        return true
      }
    } catch {
      throw error.damage.map { .damaged(self, reason: $0) } ?? .store(StoreError(error))
    }
    if !isThere { throw .missing(self) }
  }
}
