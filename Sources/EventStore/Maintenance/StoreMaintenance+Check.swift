import RepriseLMDB
import RepriseLog
import RepriseSystem

extension StoreMaintenance {
  /// Checks whether a store can be opened without danger: reads its file, without mapping it, and checks the structure
  /// of its pages against everything that LMDB assumes. Damage there can crash the process that opens the store, or
  /// make it read wrong rows without an error.
  ///
  /// It checks pages, not their content: once the store is open, ``verify(_:against:)`` proves that objects and indexes
  /// agree with the log. Needs no models, and changes nothing. Reads the file once, page by page; takes a quarter of a
  /// byte of memory per page, 64 KiB for a store of 1 GiB.
  ///
  /// - Parameter path: The directory of a store that is not open in this process. Another process may have it open: an
  ///   inconsistency seen while it saves is checked again.
  /// - Returns: The problems found. Damage is a finding, not an error; ``salvage(_:to:)`` makes a new store from the
  ///   remains.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process; `notAStore` or `newerFormat` for a file
  ///   that is not this library's; `system` if other processes save so often that no check was undisturbed within five
  ///   seconds, or if the file cannot be read.
  public static func check(_ path: String) async throws -> CheckReport {
    try await SystemThread.run { () throws(StoreError) in try checkNow(path) }
  }

  package static func checkNow(
    _ path: String, overlooking overlooked: Set<StructureProblem.Kind> = []
  ) throws(StoreError) -> CheckReport {
    try StoreRegistry.whileClosed(path) { (_) throws(StoreError) in
      let report = try StoreError.converting { () throws(StorageError) in
        try DataFile.structure(of: path, overlooking: overlooked)
      }
      guard let report else { throw .notFound(path: path) }
      return CheckReport(report, requiring: StoreTables.names + StoreTables.lateNames)
    }
  }
}
