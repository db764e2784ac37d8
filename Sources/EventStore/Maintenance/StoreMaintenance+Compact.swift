import RepriseLMDB
import RepriseLog
import RepriseSystem

/// The result of ``StoreMaintenance/compact(_:progress:)``.
public struct CompactionReport: Equatable, Sendable {
  /// The size of the data file before the compaction, in bytes.
  public let bytesBefore: Int
  /// The size of the data file after the compaction, in bytes.
  public let bytesAfter: Int
}

extension StoreMaintenance {
  /// Returns unused space of a store to the file system: replaces its data file by a copy without free pages. The file
  /// grows with the size of single saves, and while backups and checks run. It keeps free pages for later saves, and
  /// only this call makes it shorter.
  ///
  /// The log, positions, drafts and screens stay as they are. Needs no models, and disk space for the copy. Other
  /// processes that open the store meanwhile wait. After a kill or a power cut the store is whole, either as before or
  /// as after the compaction. A file `data.mdb.unfinished` may be left, which the next call removes.
  ///
  /// The call checks the structure of the pages first, like ``check(_:)``. So it reads the file twice, and writes the
  /// used part once.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that no process has open.
  ///   - progress: Called on a thread of the library with the finished part, from 0 to 1.
  /// - Throws: ``StoreError``, and the store is unchanged. `inUse` if the store is open in this process,
  ///   `inUseElsewhere` if it is open in another process. `damaged` if its structure is damaged or it lacks a table.
  ///   `prereleaseFormat` or `newerFormat` if a version before 0.1 or a newer version made the store. `notAStore` if
  ///   the file is not a store. `diskFull` and other failures of the system.
  @discardableResult
  public static func compact(
    _ path: String, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> CompactionReport {
    try await SystemThread.run { () throws(StoreError) in try compactNow(path, progress) }
  }

  private static func compactNow(
    _ path: String, _ progress: (@Sendable (Double) -> Void)?
  ) throws(StoreError) -> CompactionReport {
    try StoreRegistry.whileClosed(path) { (_) throws(StoreError) in
      let (before, after) = try StoreError.converting { () throws(StorageError) in
        try Environment.compact(
          directory: path, progress: { progress?($0) },
          requiring: { (tables) throws(StorageError) in
            // Stores of earlier formats had fewer tables, so the format comes first.
            try MetaTable.requireFormat(ofStoreAt: path)
            try StoreTables.requireAll(in: tables, ofStoreAt: path)
          })
      }
      return CompactionReport(bytesBefore: before, bytesAfter: after)
    }
  }
}
