import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Brings bytes into the store, slice by slice; each is a short commit. They become a blob when all are there.
///
/// An actor, so that the digest is made on no thread of the caller's.
actor BlobUpload {
  private let store: Store
  private let id = UniqueID()
  private var hash = SHA256()
  private var byteCount = 0
  private var chunks = 0
  /// What is not written yet: less than a slice.
  private var rest: [UInt8] = []
  /// Writes a slice, while the digest of the next is made.
  private var writing: Task<Result<Void, BlobError>, Never>?

  /// How many chunks the next slice has: about a megabyte at first, then more, because each slice is flushed.
  private var sliceChunks = BlobCleaning.slice
  private static let mostChunks = 4 * BlobCleaning.slice

  /// The first slice.
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

  /// Begins to write a slice, once the one before it is written.
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

  /// A removal takes milliseconds. Not cut short by a cancellation, which would make the wait a busy one.
  private static func pause() async {
    _ = await Task.detached { try? await Task.sleep(nanoseconds: 2_000_000) }.value
  }

  /// Waits for the slice that is being written.
  func written() async throws(BlobError) {
    guard let slice = writing else { return }
    writing = nil
    try await slice.value.get()
  }

  /// Makes the blob.
  func finish() async throws(BlobError) -> Blob {
    try await written()
    if byteCount == 0 { return .empty }
    let digest = hash.finish()
    hash = SHA256()
    // Who is about to remove a blob of these bytes would take this one for it.
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

  /// Removes what was written. What cannot be removed now is so by a later opening.
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
  /// Runs `body`, a failure of which becomes this error.
  nonisolated(nonsending)
    static func converting<Result>(_ body: () async throws(StoreError) -> Result) async throws(BlobError) -> Result
  {
    do throws(StoreError) { return try await body() } catch { throw .store(error) }
  }
}
