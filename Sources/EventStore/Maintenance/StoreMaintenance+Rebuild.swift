import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Rebuilds everything that derives from the log: objects, indexes, counts and metadata. Rows of projections are
  /// removed, and made anew when these are installed. For a store whose log is
  /// sound according to ``verify(_:against:)``, but whose derived content is not.
  ///
  /// A log whose beginning was dropped (``TransactionLog/retain(_:progress:)``) no longer makes the objects: they are
  /// proved and kept, and the rest is made from them; projections cannot be made anew.
  ///
  /// Needs no models. The log with its positions, drafts and screens stay as they are. Everything happens in one
  /// commit: if it fails, nothing has changed. Reads the log once for every 500,000 objects; while it runs, the file
  /// needs space for a second copy of objects and indexes, and no process can save.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that is not open in this process. Other processes should not have it open
  ///     either: their live objects keep the values that they have read.
  ///   - acceptingLoss: Whether to rebuild even if the log has lost its last transactions: objects return to their
  ///     state before those, and the report counts them. A backup, if there is one, is the better choice.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process; `damaged` if the log itself is damaged,
  ///   naming the transaction, or objects that the log no longer makes, or if the structure of the file's pages is, as
  ///   found by ``check(_:)``; `transactionsLost` if the end of the log is missing and the loss is not accepted; the
  ///   errors of opening, for a wrong path, a full disk and so on.
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
      let tables = StoreTables(environment)
      return try StoreError.converting { () throws(StorageError) in
        try environment.write { (transaction) throws(StorageError) in
          var rebuilder = HeadRebuilder(tables, acceptingLoss: acceptingLoss, sliceSize: sliceSize)
          try rebuilder.rebuild(in: transaction)
          try ProjectionTable.removeAll(of: tables, transaction)
          return rebuilder.report
        }
      }
    }
  }
}
