import RepriseLMDB
import RepriseLog
import RepriseSystem

extension StoreMaintenance {
  /// Checks whether a store can be opened without danger. Damage to the structure of its pages can crash the process
  /// that opens the store, or make it read wrong rows without an error. The check reads the file without mapping it,
  /// and compares its pages with everything that LMDB assumes.
  ///
  /// The check covers pages and not their content. After the store is opened, ``verify(_:against:)`` proves that
  /// objects and indexes agree with the log.
  ///
  /// Needs no models and changes nothing. Reads the file once, page by page. Takes a quarter of a byte of memory per
  /// page, which is 64 KiB for a store of 1 GiB.
  ///
  /// - Parameter path: The directory of a store that is not open in this process. Another process may have it open: the
  ///   call checks an inconsistency again if that process saves meanwhile.
  /// - Returns: The problems found. Damage is a finding and not an error. ``salvage(_:to:)`` makes a new store from the
  ///   remains.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process. `notAStore` if the file is not a file of
  ///   LMDB. `prereleaseFormat` or `newerFormat` if a version before 0.1 or a newer version made the store, and the
  ///   structure is sound. `system` if the file cannot be read, or if other processes saved so often that no
  ///   undisturbed check was possible within five seconds.
  public static func check(_ path: String) async throws -> CheckReport {
    try await SystemThread.run { () throws(StoreError) in try checkNow(path) }
  }

  package static func checkNow(
    _ path: String, overlooking overlooked: Set<StructureProblem.Kind> = []
  ) throws(StoreError) -> CheckReport {
    try StoreRegistry.whileClosed(path) { (_) throws(StoreError) in
      let report = try StoreError.converting { () throws(StorageError) in
        let report = try DataFile.structure(of: path, overlooking: overlooked)
        // In a damaged structure, an entry may look like another format.
        if report?.isSound ?? false { try MetaTable.requireFormat(ofStoreAt: path) }
        return report
      }
      guard let report else { throw .notFound(path: path) }
      return CheckReport(report, requiring: StoreTables.names + StoreTables.lazyNames)
    }
  }
}
