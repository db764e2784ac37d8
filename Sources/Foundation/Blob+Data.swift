public import RepriseEventStore
public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Blob {
  /// Copies a file into a store as a blob, like `init(contentsOf:in:)` with a path.
  ///
  /// - Parameters:
  ///   - url: The URL of a file.
  ///   - store: The store that keeps the bytes.
  /// - Throws: `BlobError` if the file cannot be read, the store is closed, or its disk is full. `CancellationError` if
  ///   the task is cancelled.
  public init(contentsOf url: URL, in store: Store) async throws {
    try await self.init(contentsOf: url.path, in: store)
  }

  /// Returns all bytes of the blob, like `bytes(in:)`.
  ///
  /// All bytes are in memory at once.
  ///
  /// - Throws: `BlobError` if the store does not have the bytes, the bytes are damaged, or the store is closed.
  public func data(in store: Store) async throws -> Data { Data(try await bytes(in: store)) }

  /// Returns the bytes in a range, like `bytes(_:in:)`.
  ///
  /// - Throws: `BlobError`, which is `outOfBounds` if the range exceeds the blob; otherwise as for ``data(in:)``.
  public func data(_ range: Range<Int>, in store: Store) async throws -> Data {
    Data(try await bytes(range, in: store))
  }

  /// Writes the bytes to a file, like `write(to:in:)` with a path.
  ///
  /// An existing file is replaced.
  ///
  /// - Throws: Like ``data(in:)``; also `BlobError.file` if the file cannot be written.
  public func write(to url: URL, in store: Store) async throws { try await write(to: url.path, in: store) }
}
