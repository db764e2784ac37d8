import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseSystem

/// How far a backup is.
public struct BackupProgress: Hashable, Sendable {
  /// The bytes written so far.
  public internal(set) var bytes: Int
  /// About how many they will be.
  public let expectedBytes: Int

  /// From 0 to 1.
  public var fractionCompleted: Double { min(1, Double(bytes) / Double(max(1, expectedBytes))) }
}

/// The result of ``StoreMaintenance/backup(_:to:progress:)``.
public struct BackupReport: Hashable, Sendable {
  /// The last transaction in it. All before are in it, and none after.
  public let position: Position
  /// The bytes of its data file.
  public let bytes: Int
  /// The names of the journals that are not in the backup: other users of the store own them or may write them, or they
  /// are not plain files. The unsaved edits and the screens in these journals are missing from the backup.
  public let missingJournals: [String]
}

extension StoreMaintenance {
  /// Copies the store to a new directory, as it is at one moment: the log with all objects and indexes, and uncommitted
  /// drafts and screens of all processes. Saves go on meanwhile, after a pause of milliseconds at the beginning.
  ///
  /// The copy has no free pages, so it may be much smaller. It is a store of its own: open it where it is to look at
  /// it, or close this store, take its directory away, and put the copy in its place. When this returns, the copy
  /// survives a power cut. Until then nothing in the directory can be taken for a store.
  ///
  /// If only its `data.mdb` is put back, beside later journals, what was saved since is lost; drafts that rest on that
  /// are resumed, and say so in `draftProblems`, also once the store has gone on with other saves.
  ///
  /// Not in it: which nodes ended the last launch, and previews of scenes, which are of this machine. Costs reading and
  /// writing each page once; pages that saves free meanwhile are reused only when it is done.
  ///
  /// - Parameters:
  ///   - newPath: A directory that is empty or does not exist yet; its parent directory must exist.
  ///   - progress: Called from a thread of the library, some times a second.
  /// - Throws: ``StoreError``: `notAStore` if the new path is not empty; `diskFull` and other failures of the system
  ///   with the path where they happened; `closed`. Nothing is left at the new path then.
  @discardableResult
  public nonisolated(nonsending) static func backup(
    _ store: Store, to newPath: String, progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws -> BackupReport {
    try store.requireOpen()
    await store.journals.endFrameOfOpenTurns()
    return try await SystemThread.run { () throws(StoreError) in try backupNow(store, to: newPath, progress) }
  }

  private static func backupNow(
    _ store: Store, to newPath: String, _ progress: (@Sendable (BackupProgress) -> Void)?
  ) throws(StoreError) -> BackupReport {
    try store.requireOpen()
    if store.environment.isForked { throw .forked(path: store.path) }
    let (_, access) = try StoreDirectory.requireStore(store.path)
    var target = try BackupDirectory(newPath, access)
    do throws(StoreError) {
      let report = try back(up: store, to: &target, progress)
      try target.finish()
      return report
    } catch {
      target.remove()
      throw error
    }
  }

  private static func back(
    up store: Store, to target: inout BackupDirectory, _ progress: (@Sendable (BackupProgress) -> Void)?
  ) throws(StoreError) -> BackupReport {
    // What this process has not written yet is part of the moment.
    do throws(JournalError) { try store.journal.write(cutsTurns: false) } catch {
      throw StoreError(error, path: store.path)
    }
    var journals = CopiedJournals()
    let file = target.data
    let (copy, head) = try store.environment.write {
      (transaction) throws(StoreError) -> (EnvironmentCopy, Position) in
      // Nobody saves or checkpoints now, which moves edits from journals to the log and the tables: each edit is in one
      // of them.
      let (copy, head) = try StoreError.converting { () throws(StorageError) in
        let head = try store.files.log.lastPosition(transaction.view)
        let copy = try store.environment.copy(to: file)
        copy.begin()
        return (copy, head)
      }
      do throws(JournalError) {
        journals = try store.journal.copies()
      } catch {
        // The copy uses the file until it is done.
        try? copy.wait { _ in }
        throw StoreError(error, path: store.path)
      }
      return (copy, head)
    }
    let expected = (try? store.environment.sizeOfCopy()) ?? 0
    var written: StoreError?
    do throws(StoreError) {
      for (name, bytes) in journals.contents { try target.write(bytes, journal: name) }
    } catch {
      written = error
    }
    do throws(StorageError) {
      try copy.wait { bytes in progress?(BackupProgress(bytes: bytes, expectedBytes: max(bytes, expected))) }
    } catch {
      throw StoreError(error.copying(to: target.path))
    }
    if let written { throw written }
    let bytes = copy.byteCount
    progress?(BackupProgress(bytes: bytes, expectedBytes: bytes))
    return BackupReport(position: head, bytes: bytes, missingJournals: journals.missing)
  }
}
