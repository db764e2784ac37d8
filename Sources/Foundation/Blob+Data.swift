public import RepriseEventStore
public import RepriseObjectModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Blob {
  /// Brings the bytes of a file into a store; as `init(contentsOf:in:)` with a path.
  ///
  /// - Parameter url: The URL of a file.
  /// - Throws: `BlobError`: the file cannot be read, the store is closed, or its disk is full. `CancellationError` if
  ///   the task is cancelled.
  public init(contentsOf url: URL, in store: Store) async throws {
    try await self.init(contentsOf: url.path, in: store)
  }

  /// All bytes; as `bytes(in:)`.
  ///
  /// - Throws: `BlobError`: the store does not have them, or they are damaged, or the store is closed.
  public func data(in store: Store) async throws -> Data { Data(try await bytes(in: store)) }

  /// The bytes of a range; as `bytes(_:in:)`.
  ///
  /// - Throws: `BlobError`: `outOfBounds` if the blob does not have them all; else as ``data(in:)``.
  public func data(_ range: Range<Int>, in store: Store) async throws -> Data {
    Data(try await bytes(range, in: store))
  }

  /// Writes the bytes to a file, which is made or replaced; as `write(to:in:)` with a path.
  ///
  /// - Throws: As ``data(in:)``; also `BlobError.file` if the file cannot be written.
  public func write(to url: URL, in store: Store) async throws { try await write(to: url.path, in: store) }
}
