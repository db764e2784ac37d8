import RepriseLMDB
import RepriseSystem

extension Store {
  /// Looks whether a store can be opened without danger: reads its file, without mapping it, and holds the structure of
  /// its pages against all that LMDB takes for granted. Damage there can end the process that opens the store, or make
  /// it read wrong rows without an error.
  ///
  /// It looks at pages, not at what stands in them: that objects and indexes are what the log says is for ``verify()``
  /// to prove, once the store is open. Needs no models, and changes nothing. Reads the file once, page by page; memory
  /// is a quarter of a byte a page, 64 KiB for a store of 1 GiB.
  ///
  /// - Parameter path: The directory of a store that is not open in this process. Another process may have it open:
  ///   what does not fit while it saves is looked at again.
  /// - Returns: What was found. Damage is a finding, not an error; ``salvage(_:to:)`` makes a new store of what is
  ///   left.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process; `notAStore` or `newerFormat` for a file
  ///   that is not this library's; `system` if other processes save so much that no look was undisturbed for five
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
      return CheckReport(report, requiring: StoreTables.names)
    }
  }
}
