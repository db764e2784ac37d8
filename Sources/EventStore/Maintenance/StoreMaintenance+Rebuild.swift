import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Rebuilds everything that derives from the log: objects, indexes, counts, and the store's records of the schema, of
  /// names and of the head. Use it for a store whose log is sound according to ``verify(_:against:)``, but whose
  /// derived content is damaged. Rows of projections are removed, and made again when the projections are installed.
  /// Histories of indexes are removed, and the next opening begins new ones at the head.
  ///
  /// If ``TransactionLog/retain(_:progress:)`` has dropped the beginning of the log, the log can no longer make the
  /// objects. Then the call proves and keeps them, and makes the rest from them. Projections cannot be made again.
  ///
  /// Needs no models. The log and its positions stay as they are, and so do drafts and screens. The call makes one
  /// commit: if it fails, nothing has changed. It reads the log once for every 500,000 objects. Meanwhile the file
  /// needs space for a second copy of objects and indexes, and no process can save.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that is not open in this process. Close it in other processes, too: their live
  ///     objects would keep the values that they have read.
  ///   - acceptingLoss: Whether to rebuild even if the log has lost its last transactions. Objects then return to their
  ///     state before those, and the report counts the lost transactions. If you have a backup, it is the better
  ///     choice.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process. `damaged` if a transaction of the log is
  ///   damaged, or if an event does not fit the object that the earlier events make. `damaged` also if a truncated log
  ///   does not match the objects, or if ``check(_:)`` finds damage to the structure. `transactionsLost` if the end of
  ///   the log is missing and `acceptingLoss` is false. Also the errors of an opening, for example of a full disk.
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
      let environment = try StoreOpener.environment(path, access, checksStructure: true)
      defer { environment.close() }
      let tables = StoreTables(environment)
      return try StoreError.converting { () throws(StorageError) in
        try environment.write { (transaction) throws(StorageError) in
          _ = try tables.logID(transaction.view)
          var rebuilder = HeadRebuilder(tables, acceptingLoss: acceptingLoss, sliceSize: sliceSize)
          try rebuilder.rebuild(in: transaction)
          try ProjectionTable.removeAll(of: tables, transaction)
          return rebuilder.report
        }
      }
    }
  }
}
