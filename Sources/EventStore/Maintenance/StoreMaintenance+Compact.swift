import RepriseLMDB
import RepriseLog
import RepriseSystem

/// The result of ``StoreMaintenance/compact(_:progress:)``.
public struct CompactionReport: Hashable, Sendable {
  /// The bytes of the data file before.
  public let bytesBefore: Int
  /// The bytes of the data file after.
  public let bytesAfter: Int
}

extension StoreMaintenance {
  /// Gives the space that a store no longer uses back to the file system: its data file is replaced by a copy without
  /// free pages. A file grows by what is saved at once, and while backups and checks run, and keeps the pages for later
  /// saves; only this makes it shorter.
  ///
  /// The log, positions, drafts and screens stay as they are. Needs no models, and space for the copy. Other processes
  /// that open the store meanwhile wait. A kill or a power cut leaves the store as it was before or after, whole, and
  /// perhaps a file `data.mdb.unfinished`, which the next call removes. Checks the structure of the pages first, like
  /// ``check(_:)``; so it reads the file twice, and writes what is used once.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that is open in no process.
  ///   - progress: Called from a thread of the library, from 0 to 1.
  /// - Throws: ``StoreError``: `inUse` if the store is open in this process, `inUseElsewhere` if in another one;
  ///   `damaged` if its structure is; `diskFull` and other failures of the system. Then nothing has changed.
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
        try Environment.compact(directory: path) { progress?($0) }
      }
      return CompactionReport(bytesBefore: before, bytesAfter: after)
    }
  }
}
