import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Between two commits, in nanoseconds, for others' saves.
  private static let pauseOfCleaning: UInt64 = 5_000_000

  /// Removes the blobs that nobody needs while the store is open. A failure, as of a full disk, leaves the rest to the
  /// next opening.
  func startCleaning(after delay: UInt64) {
    cleaning.start("removes blobs", in: self, after: delay) { store in
      var cleaning = BlobCleaning(store.path, store.environment, store.tables, store.blobClaims)
      return { (_) throws(StoreError) in try cleaning.step() ? Self.pauseOfCleaning : nil }
    }
  }

  /// Returns when what the opening found to be removed of blobs is gone. For tests.
  package func cleaned() async { try? await cleaning.wait() }

  /// Whether nothing of blobs is there that is to be removed. For tests.
  package var isClean: Bool {
    get throws {
      try read { (view, _) throws(StorageError) in try !BlobCleaning.isNeeded(tables, view) }
    }
  }
}
