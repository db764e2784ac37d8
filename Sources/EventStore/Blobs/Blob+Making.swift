import RepriseLog
import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Blob {
  /// Stores bytes as a blob.
  ///
  /// The library writes them in commits of one to four megabytes, each as durable as a save. A concurrent save waits
  /// for one such commit. If the store has a blob of the same bytes already, the library removes the new copy and
  /// returns that blob. Costs O(n) for n bytes.
  ///
  /// Assign the blob to an attribute and save. Until then the library keeps the blob while this process has the store
  /// open, and longer if a draft or a screen has the blob.
  ///
  /// - Throws: ``BlobError`` if the store is closed or its disk is full. `CancellationError` if the task is cancelled.
  ///   After an error, the library removes the bytes that it wrote. If the error is
  ///   ``StoreError/unusable(path:reason:)``, the next opening of the store removes them.
  public init(_ bytes: some Collection<UInt8> & Sendable, in store: Store) async throws {
    self = try await Self.uploading(to: store) { upload in
      var rest = bytes[...]
      while !rest.isEmpty {
        try Task.checkCancellation()
        try await upload.append([UInt8](rest.prefix(BlobUpload.sliceSize)))
        rest = rest.dropFirst(BlobUpload.sliceSize)
      }
    }
  }

  /// Stores the bytes of a file as a blob, with a few megabytes of them in memory at a time; otherwise as
  /// ``init(_:in:)``.
  ///
  /// - Parameter path: The path of the file, which must not change meanwhile.
  /// - Throws: As ``init(_:in:)``; also `BlobError.file` if the file cannot be read.
  public init(contentsOf path: String, in store: Store) async throws {
    self = try await Self.uploading(to: store) { upload in
      let file = try BlobFile(reading: path)
      defer { file.close() }
      while let bytes = try await SystemThread.run({ () throws(BlobError) in try file.next(BlobUpload.sliceSize) }) {
        try Task.checkCancellation()
        try await upload.append(bytes)
      }
    }
  }

  /// Stores the bytes of a stream as a blob while they arrive; otherwise as ``init(_:in:)``. For example, the body of
  /// an HTTP request.
  ///
  /// - Parameter chunks: The bytes, in chunks of any size.
  /// - Throws: As ``init(_:in:)``; also the errors of the stream.
  public nonisolated(nonsending) init<Chunks: AsyncSequence>(chunks: Chunks, in store: Store) async throws
  where Chunks.Element: Collection<UInt8> {
    let upload = try await BlobUpload(in: store)
    do {
      var waiting: [UInt8] = []
      for try await chunk in chunks {
        try Task.checkCancellation()
        waiting += chunk
        if waiting.count < BlobUpload.sliceSize { continue }
        try await upload.append(waiting)
        waiting = []
      }
      try await upload.append(waiting)
      self = try await upload.finish()
    } catch {
      await upload.abandon()
      throw error
    }
  }

  private static func uploading(
    to store: Store, _ body: @Sendable (BlobUpload) async throws -> Void
  ) async throws -> Blob {
    let upload = try await BlobUpload(in: store)
    do {
      try await body(upload)
      return try await upload.finish()
    } catch {
      await upload.abandon()
      throw error
    }
  }
}

/// A file that is read or written from its beginning to its end.
struct BlobFile: Sendable {
  private let path: String
  private let descriptor: Int32

  init(reading path: String) throws(BlobError) { try self.init(path, O_RDONLY) }

  /// Creates the file, or empties an existing one.
  init(writing path: String) throws(BlobError) { try self.init(path, O_WRONLY | O_CREAT | O_TRUNC) }

  private init(_ path: String, _ flags: Int32) throws(BlobError) {
    self.path = path
    descriptor = open(path, flags | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw failure("open") }
  }

  /// The next bytes, at most `count`. `nil` at the end of the file.
  func next(_ count: Int) throws(BlobError) -> [UInt8]? {
    var code = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, count in
      while count < buffer.count {
        code = read(descriptor, buffer.baseAddress! + count, buffer.count - count)
        if code < 0, errno == EINTR { continue }
        if code <= 0 { break }
        count += code
      }
    }
    if code < 0 { throw failure("read") }
    return bytes.isEmpty ? nil : bytes
  }

  func append(_ bytes: [UInt8]) throws(BlobError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw failure("write") }
      written += count
    }
  }

  func close() { systemClose(descriptor) }

  private func failure(_ operation: String) -> BlobError {
    let code = errno
    return .file(path: path, operation: operation, code: code, message: systemText(code))
  }
}

private func systemClose(_ descriptor: Int32) { close(descriptor) }
