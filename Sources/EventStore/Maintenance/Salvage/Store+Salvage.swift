import RepriseLMDB
import RepriseObjectModel
import RepriseSystem

extension Store {
  /// Makes a new store of what is left of a damaged one, and leaves that one as it is.
  ///
  /// Nothing of the damaged file is mapped or trusted. The log is looked for on all pages, whether anything leads to
  /// them or not; a transaction is taken if its checksum and its place in the chain of hashes are right, and objects,
  /// indexes and counts are made anew from them. So what the new store has up to ``SalvageReport/lost`` is what the old
  /// one had.
  ///
  /// Behind a gap the log proves nothing any more. There the new store has what the latest records of objects say, and
  /// what whole transactions did to them, in transactions of its own by the author "Store.salvage". What is known of
  /// neither is missing: an object may then be as it was earlier. Positions behind the gap are others than before.
  ///
  /// Drafts, screens and journals are copied where they are whole. The new store has the log's name, and so its objects
  /// their URIs.
  ///
  /// Needs no models. Reads the damaged file three to five times; memory is about 40 bytes for each transaction, and
  /// what 500,000 objects take.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that is not open in this process. Other processes should not have it open
  ///     either.
  ///   - newPath: A directory that is empty, or is not there yet; its parent directory must exist.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process; `notAStore` if there is none, or something
  ///   at the new path; `damaged` if nothing can be had; a full disk and so on. Nothing is left at the new path then,
  ///   unless files there cannot even be removed: they are no store, and neither opened nor salvaged into.
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
        let environment = try StoreOpener.environment(newPath, .full, access, checksStructure: false)
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
