import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Writes bytes into the store in slices, each in a short commit. `finish` makes them a blob.
///
/// An actor, so that no thread of the caller computes the digest.
actor BlobUpload {
  private let store: Store
  private let id = UniqueID()
  private var hash = SHA256()
  private var byteCount = 0
  private var chunks = 0
  /// The bytes that are not written yet: less than a slice.
  private var rest: [UInt8] = []
  /// Writes a slice while the digest of the next one is computed.
  private var writing: Task<Result<Void, BlobError>, Never>?

  /// The number of chunks of the next slice: about a megabyte at first, then more, because each slice costs a flush.
  private var sliceChunks = BlobCleaning.slice
  private static let mostChunks = 4 * BlobCleaning.slice

  /// The size of the first slice, in bytes.
  static let sliceSize = BlobTable.chunkSize * BlobCleaning.slice

  init(in store: Store) async throws(BlobError) {
    self.store = store
    do throws(StoreError) { try await store.waitUntilOpen() } catch { throw .store(error) }
  }

  func append(_ bytes: [UInt8]) async throws(BlobError) {
    bytes.withUnsafeBytes { hash.update($0) }
    byteCount += bytes.count
    rest += bytes
    var taken = 0
    while rest.count - taken >= sliceChunks * BlobTable.chunkSize {
      let size = sliceChunks * BlobTable.chunkSize
      let slice = rest.withUnsafeBytes {
        SealedChunks(UnsafeRawBufferPointer(rebasing: $0[taken..<taken + size]), from: chunks)
      }
      taken += size
      try await begin(slice)
    }
    if taken > 0 { rest.removeFirst(taken) }
  }

  /// Begins to write a slice after the previous one is written.
  private func begin(_ slice: SealedChunks) async throws(BlobError) {
    try await written()
    guard chunks + slice.count < BlobTable.chunkLimit else { throw .store(.diskFull(path: store.path)) }
    let id = id
    if slice.first == 0 { _ = try hold(.upload(id)) }
    chunks += slice.count
    sliceChunks = min(2 * sliceChunks, Self.mostChunks)
    writing = Task {
      do throws(BlobError) {
        return .success(
          try await commit { (table, transaction) throws(StorageError) in
            if slice.first == 0 { try table.abandon(id, transaction) }
            try table.write(slice, of: id, transaction)
          })
      } catch {
        return .failure(error)
      }
    }
  }

  /// Waits about as long as the removal of a blob takes. A cancellation does not cut the wait short, because the caller
  /// would then loop without a pause.
  private static func pause() async {
    _ = await Task.detached { try? await Task.sleep(nanoseconds: 2_000_000) }.value
  }

  /// Waits for the slice that is being written.
  func written() async throws(BlobError) {
    guard let slice = writing else { return }
    writing = nil
    try await slice.value.get()
  }

  /// Makes the bytes a blob.
  func finish() async throws(BlobError) -> Blob {
    try await written()
    if byteCount == 0 { return .empty }
    let digest = hash.finish()
    hash = SHA256()
    // A process that is removing a blob of these bytes would remove this one, so wait until it has ended.
    var waited = 0
    while try !hold(.blob(digest)) {
      let limit = store.environment.options.writerTimeout
      if waited >= limit {
        throw .store(.writerBusy(path: store.path, process: nil, thread: nil, seconds: limit / 1000))
      }
      await Self.pause()
      waited += 2
    }
    let id = id
    let last = rest.withUnsafeBytes { SealedChunks($0, from: chunks) }
    let entry = BlobTable.Entry(upload: id, byteCount: byteCount)
    let isNew = try await commit { (table, transaction) throws(StorageError) in
      if try table.entry(of: digest, transaction.view) != nil { return false }
      try table.write(last, of: id, transaction)
      try table.put(entry, of: digest, transaction)
      try table.setUnused(digest, transaction)
      try table.end(id, transaction)
      return true
    }
    if isNew { store.blobClaims.release(.upload(id)) } else { await abandon() }
    return Blob(digest, byteCount: byteCount)
  }

  /// Removes the written slices. If some cannot be removed now, a later opening removes them.
  func abandon() async {
    try? await written()
    if chunks == 0 { return }
    let (id, tables, environment) = (id, store.tables, store.environment)
    var isDone = false
    while !isDone {
      let result = try? await store.writer.perform(in: store) { () throws(StoreError) in
        try BlobCleaning.removeSome(of: id, tables, environment)
      }
      isDone = result ?? true
    }
    store.blobClaims.release(.upload(id))
  }

  private func hold(_ subject: BlobClaims.Subject) throws(BlobError) -> Bool {
    do throws(SystemFailure) {
      return try store.blobClaims.hold(subject)
    } catch {
      throw .store(StoreDirectory.failure(error.errno, store.path, "claiming a blob"))
    }
  }

  private func commit<Result: Sendable>(
    _ body: @escaping @Sendable (BlobTable, borrowing WriteTransaction) throws(StorageError) -> Result
  ) async throws(BlobError) -> Result {
    let store = store
    if store.isClosed { throw .store(.closed(path: store.path)) }
    return try await BlobError.converting { () async throws(StoreError) in
      try await store.writer.perform(in: store) { () throws(StoreError) in
        try StoreError.converting { () throws(StorageError) in
          try store.environment.write { (transaction) throws(StorageError) in
            try body(BlobTable(store.tables, transaction.view), transaction)
          }
        }
      }
    }
  }
}

extension BlobError {
  /// Runs `body`, and wraps the error that it throws.
  nonisolated(nonsending)
    static func converting<Result>(_ body: () async throws(StoreError) -> Result) async throws(BlobError) -> Result
  {
    do throws(StoreError) { return try await body() } catch { throw .store(error) }
  }
}
