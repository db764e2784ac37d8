import RepriseLMDB
import RepriseObjectModel

/// Brings bytes into the store, slice by slice; each is a short commit. They become a blob when all are there.
///
/// An actor, so that the digest is made on no thread of the caller's.
actor BlobUpload {
  private let store: Store
  private let table: BlobTable
  private let id = UniqueID()
  private var hash = SHA256()
  private var byteCount = 0
  private var chunks = 0
  /// What is not written yet: less than a slice.
  private var rest: [UInt8] = []

  /// How many chunks the next slice has: about a megabyte at first, then more, because each slice is flushed.
  private var sliceChunks = BlobCleaning.slice
  private static let mostChunks = 4 * BlobCleaning.slice

  /// The first slice.
  static let sliceSize = BlobTable.chunkSize * BlobCleaning.slice

  init(in store: Store) async throws(BlobError) {
    self.store = store
    if store.isClosed { throw .store(.closed(path: store.path)) }
    let blobs = store.tables.blobs
    if let known = blobs.known {
      table = BlobTable(known)
    } else {
      table = try await BlobTable(
        BlobError.converting { () async throws(StoreError) in
          try await store.writer.perform(in: store) { () throws(StoreError) in
            try StoreError.converting { () throws(StorageError) in try blobs.made() }
          }
        })
    }
  }

  func append(_ bytes: [UInt8]) async throws(BlobError) {
    bytes.withUnsafeBytes { hash.update($0) }
    byteCount += bytes.count
    var next = (rest + bytes)[...]
    rest = []
    while next.count >= sliceChunks * BlobTable.chunkSize {
      let slice = next.prefix(sliceChunks * BlobTable.chunkSize)
      next = next.dropFirst(slice.count)
      try await write(slice)
    }
    rest = [UInt8](next)
  }

  private func write(_ slice: ArraySlice<UInt8>) async throws(BlobError) {
    let (table, id, first) = (table, id, chunks)
    guard first + sliceChunks < BlobTable.chunkLimit else {
      throw .store(.diskFull(path: store.path))
    }
    if first == 0 { _ = try hold(.upload(id)) }
    chunks += sliceChunks
    sliceChunks = min(2 * sliceChunks, Self.mostChunks)
    try await commit { (transaction) throws(StorageError) in
      if first == 0 { try table.abandon(id, transaction) }
      try table.write(slice, from: first, of: id, transaction)
    }
  }

  /// Makes the blob.
  func finish() async throws(BlobError) -> Blob {
    if byteCount == 0 { return .empty }
    let digest = hash.finish()
    hash = SHA256()
    let isHeld = try hold(.blob(digest))
    let (table, id, first, last) = (table, id, chunks, rest)
    let entry = BlobTable.Entry(upload: id, byteCount: byteCount)
    let isNew = try await commit { (transaction) throws(StorageError) in
      // What nobody may hold is about to be removed; then this one takes its place.
      if let other = try table.entry(of: digest, transaction.view) {
        let isUnused = try table.isUnused(digest, transaction.view)
        if isHeld || !isUnused { return false }
        try table.forget(digest, other, transaction)
      }
      try table.write(last[...], from: first, of: id, transaction)
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
    if chunks == 0 { return }
    let (table, id, environment) = (table, id, store.environment)
    var isDone = false
    while !isDone {
      let result = try? await store.writer.perform(in: store) { () throws(StoreError) in
        try BlobCleaning.removeSome(of: id, table, environment)
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
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws(StorageError) -> Result
  ) async throws(BlobError) -> Result {
    let store = store
    if store.isClosed { throw .store(.closed(path: store.path)) }
    return try await BlobError.converting { () async throws(StoreError) in
      try await store.writer.perform(in: store) { () throws(StoreError) in
        try StoreError.converting { () throws(StorageError) in try store.environment.write(body) }
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
