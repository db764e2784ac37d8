import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension BackgroundSteps {
  /// Between two commits, in nanoseconds, for others' saves.
  private static let pauseOfCleaning: UInt64 = 5_000_000

  /// Removes dropped transactions, and the blobs that nobody needs, while the store is open. A failure, as of a full
  /// disk, leaves the rest to the next opening.
  func startCleaning(_ store: Store, after delay: UInt64) {
    start("removes what nobody needs", in: store, after: delay) { store in
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

  /// Whether a store has nothing that ``startCleaning(_:after:)`` would remove. For tests.
  package func isClean(_ store: Store) throws(StoreError) -> Bool {
    try store.read { (view, _) throws(StorageError) in
      if try DroppedLog.isNeeded(store.tables, view) { return false }
      return try !BlobCleaning.isNeeded(store.tables, view)
    }
  }
}
