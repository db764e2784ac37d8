import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Makes a new store from the remains of a damaged one, which stays unchanged.
  ///
  /// The call neither maps nor trusts the damaged file. It looks for the log on all pages, including pages that nothing
  /// leads to, and in the after-images of the last commits. It accepts a transaction if its checksum and its place in
  /// the hash chain are valid. It rebuilds objects, indexes and counts from the accepted transactions. So before
  /// ``SalvageReport/lost`` the new store has the same content as the old one.
  ///
  /// After a gap, the log proves nothing. For that part, the call takes the objects' latest records and the changes in
  /// intact transactions. It saves them in new transactions with the author "StoreMaintenance.salvage". If a change is
  /// in neither, it is missing, so an object may be in an earlier state. The new transactions have other positions than
  /// the old ones.
  ///
  /// If ``TransactionLog/retain(_:progress:)`` has dropped the beginning of the log, the new log begins at the same
  /// ``TransactionLog/firstPosition``. The remaining transactions cannot make the objects, so the call takes their
  /// records, and applies the transactions after these. If an object is lost, the new log begins after the last
  /// transaction that changes it. Rows of projections are not copied, and cannot be made again. Histories of indexes
  /// begin again at the head.
  ///
  /// Intact drafts, screens and journals are copied. The new store keeps the UUID of the log, so its objects keep their
  /// URIs.
  ///
  /// Needs no models. Reads the damaged file three to five times. Takes about 40 bytes of memory for each transaction,
  /// and the memory of 500,000 objects. Without the beginning of the log, it also takes 64 bytes for each object.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that is not open in this process. Close it in other processes, too.
  ///   - newPath: A directory that is empty or does not exist; its parent directory must exist.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process. `notAStore` if there is no store, or the
  ///   new path is not empty. `damaged` if nothing can be salvaged. `diskFull` and other failures of the system. The
  ///   call then removes its files at the new path. If it cannot remove a file, delete the new path before you try
  ///   again.
  @discardableResult
  public static func salvage(_ path: String, to newPath: String) async throws -> SalvageReport {
    try await SystemThread.run { () throws(StoreError) in try salvage(path, to: newPath, sliceSize: ObjectFold.size) }
  }

  package static func salvage(
    _ path: String, to newPath: String, sliceSize: Int
  ) throws(StoreError) -> SalvageReport {
    try StoreRegistry.whileClosed(path) { (access) throws(StoreError) in
      var salvager = Salvager(path, to: newPath, sliceSize: sliceSize)
      try salvager.readJournals()
      try StoreError.converting { () throws(StorageError) in try salvager.find() }
      let isOurs = try StoreDirectory.makeEmpty(newPath, access)
      do throws(StoreError) {
        let environment = try StoreOpener.environment(newPath, access, checksStructure: false)
        defer { environment.close() }
        let log = try StoreError.converting { () throws(StorageError) in try salvager.write(to: environment) }
        let report = try salvager.copyJournals(of: log)
        try StoreDirectory.flushNames(newPath)
        StoreDirectory.finish(newPath)
        return report
      } catch {
        StoreDirectory.removeUnfinished(newPath, withDirectory: isOurs)
        throw error
      }
    }
  }
}
