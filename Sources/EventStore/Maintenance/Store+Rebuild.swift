import RepriseLMDB
import RepriseSystem
import RepriseObjectModel

extension Store {
  /// Makes anew everything that follows from the log: objects, indexes, counts, and what the store repeats of the log.
  /// For a store of which ``verify()`` says that the log is sound and what follows from it is not.
  ///
  /// Needs no models. Log, drafts and screens stay as they are, and so does every position. All in one commit: if it
  /// fails, nothing has changed. Reads the log once for every 500,000 objects; while it runs, the file
  /// needs room for objects and indexes once more, and no process can save.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that is not open in this process. Other processes should not have it open
  ///     either: their live objects keep what they read.
  ///   - acceptingLoss: Whether a log that lost its last transactions is rebuilt from: objects become what they were
  ///     before those, and the report says how many there were. A backup, if there is one, is the better choice.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process; `damaged` if the log itself is, with the
  ///   transaction, or the structure of its pages, as ``check(_:)`` finds it; `logTruncated` if the end of the log is
  ///   missing; what opening throws for a path that is none, for a full disk and so on.
  @discardableResult
  public static func rebuild(_ path: String, acceptingLoss: Bool = false) async throws -> RebuildReport {
    try await SystemThread.run { () throws(StoreError) in
      try rebuild(path, acceptingLoss: acceptingLoss, sliceSize: ObjectFold.size)
    }
  }

  @discardableResult
  package static func rebuild(
    _ path: String, acceptingLoss: Bool = false, sliceSize: Int
  ) throws(StoreError) -> RebuildReport {
    try StoreRegistry.whileClosed(path) { (access) throws(StoreError) in
      let environment = try StoreOpener.environment(path, .full, access, checksStructure: true)
      defer { environment.close() }
      return try StoreError.converting { () throws(StorageError) in
        try environment.write { (transaction) throws(StorageError) in
          var rebuilder = HeadRebuilder(StoreTables(environment), acceptingLoss: acceptingLoss, sliceSize: sliceSize)
          try rebuilder.rebuild(in: transaction)
          return rebuilder.report
        }
      }
    }
  }
}
