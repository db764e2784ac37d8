import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension BackgroundSteps {
  /// The pause between two commits of a cleaning, in nanoseconds. Saves commit in it.
  private static let pauseOfCleaning: UInt64 = 5_000_000

  /// Removes dropped transactions and unused blobs while the store is open. If a step fails, for example because the
  /// disk is full, the next opening continues.
  func startCleaning(_ store: Store, after delay: UInt64) {
    start("removes deleted transactions and unused blobs from the file", in: store, after: delay) { store in
      var truncation = LogTruncation(store.environment, store.tables)
      var blobs = BlobCleaning(store.path, store.environment, store.tables, store.blobClaims)
      var isDropped = false
      return { (_) throws(StoreError) in
        if !isDropped {
          isDropped = try StoreError.converting { () throws(StorageError) in try truncation.step() == nil }
          return Self.pauseOfCleaning
        }
        // Blobs come last: dropped transactions may have the last references to some.
        return try blobs.step() ? Self.pauseOfCleaning : nil
      }
    }
  }

  /// Whether a store has nothing that ``startCleaning(_:after:)`` would remove. For tests.
  package func isClean(_ store: Store) throws(StoreError) -> Bool {
    try store.read { (view, _) throws(StorageError) in
      if try LogTruncation.isNeeded(store.tables, view) { return false }
      return try !BlobCleaning.isNeeded(store.tables, view)
    }
  }
}
