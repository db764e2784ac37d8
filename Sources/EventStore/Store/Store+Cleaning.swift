import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Between two commits, in nanoseconds, for others' saves.
  private static let pauseOfCleaning: UInt64 = 5_000_000

  /// Removes dropped transactions, and the blobs that nobody needs, while the store is open. A failure, as of a full
  /// disk, leaves the rest to the next opening.
  func startCleaning(after delay: UInt64) {
    cleaning.start("removes what nobody needs", in: self, after: delay) { store in
      var dropped = DroppedLog(store.environment, store.tables)
      var blobs = BlobCleaning(store.path, store.environment, store.tables, store.blobClaims)
      var isDropped = false
      return { (_) throws(StoreError) in
        if !isDropped {
          isDropped = try StoreError.converting { () throws(StorageError) in try dropped.step() == nil }
          return Self.pauseOfCleaning
        }
        // Blobs come last: those of dropped transactions are among them.
        return try blobs.step() ? Self.pauseOfCleaning : nil
      }
    }
  }

  /// Returns when what the opening found to be removed is gone. For tests.
  package func cleaned() async { try? await cleaning.wait() }

  /// Whether nothing of the dropped log and of blobs is there that is to be removed. For tests.
  package var isClean: Bool {
    get throws {
      try read { (view, _) throws(StorageError) in
        if try DroppedLog.isNeeded(tables, view) { return false }
        return try !BlobCleaning.isNeeded(tables, view)
      }
    }
  }
}
