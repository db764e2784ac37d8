import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension Blob {
  /// Reads all bytes of the blob into memory, on a thread of the library. Costs O(n) for n bytes.
  ///
  /// - Throws: ``BlobError``: `missing` if the store does not have the blob, `damaged` if its pages are damaged, or
  ///   `store` if the store is closed or cannot be read.
  public func bytes(in store: Store) async throws -> [UInt8] { try await bytes(0..<byteCount, in: store) }

  /// Reads the bytes of a range, on a thread of the library. Costs O(log n) for n bytes in the blobs of the store, and
  /// the length of the range.
  ///
  /// - Throws: ``BlobError``: `outOfBounds` if the range ends behind the blob; otherwise as ``bytes(in:)``.
  public func bytes(_ range: Range<Int>, in store: Store) async throws -> [UInt8] {
    try await SystemThread.run { () throws(BlobError) in try self.read(range, in: store) }
  }

  /// The bytes of the blob as a stream. Each chunk has 256 KiB, except the last one, and is read when the consumer
  /// requests it.
  ///
  /// A blob never changes, so saves do not affect the stream, and neither does the deletion of the object that refers
  /// to the blob. If retention or an erasure removes the blob meanwhile, the stream throws `BlobError.missing`.
  ///
  /// - Parameter offset: The index of the first byte, for example after an interrupted download. Behind the end of the
  ///   blob the stream has no chunks.
  public func chunks(from offset: Int = 0, in store: Store) -> BlobChunks {
    BlobChunks(blob: self, store: store, offset: max(0, offset))
  }

  /// Writes the bytes to a file, which the call creates or replaces. If the call throws, the bytes written so far stay
  /// in the file. Costs O(n) for n bytes.
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

/// The bytes of a blob as an asynchronous sequence of chunks. `Blob.chunks(from:in:)` returns it.
public struct BlobChunks: AsyncSequence, Sendable {
  /// The bytes of one chunk.
  public typealias Element = [UInt8]
  let blob: Blob
  let store: Store
  let offset: Int

  /// The length of each chunk but the last, in bytes.
  static let size = 1 << 18

  /// Returns an iterator that begins at the offset of the sequence.
  public func makeAsyncIterator() -> Iterator { Iterator(blob: blob, store: store, offset: offset) }

  /// Reads the chunks of a blob in order.
  public struct Iterator: AsyncIteratorProtocol {
    let blob: Blob
    let store: Store
    var offset: Int

    /// The next chunk; `nil` at the end of the blob.
    ///
    /// - Throws: ``BlobError``, as `Blob.bytes(in:)`; `CancellationError` if the task is cancelled.
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
  /// Reads a range in several transactions of about one chunk each. A long transaction would keep pages from being
  /// reused, and a blob never changes between two of them.
  fileprivate func read(_ range: Range<Int>, in store: Store) throws(BlobError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else { throw .outOfBounds(range, self) }
    var bytes: [UInt8] = []
    // The length may come from another program, and the store may not have such a blob.
    bytes.reserveCapacity(min(range.count, 64 << 20))
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
