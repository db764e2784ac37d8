import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseSystem

/// The progress of a backup.
public struct BackupProgress: Equatable, Sendable {
  /// The number of bytes written so far.
  public internal(set) var bytes: Int
  /// The approximate number of bytes in the whole backup.
  public let expectedBytes: Int

  /// The finished part, from 0 to 1.
  public var fractionCompleted: Double { min(1, Double(bytes) / Double(max(1, expectedBytes))) }
}

/// The result of ``StoreMaintenance/backup(_:to:progress:)``.
public struct BackupReport: Equatable, Sendable {
  /// The position of the last transaction in the backup, which has all earlier ones and none after it.
  public let position: Position
  /// The size of the backup's data file, in bytes.
  public let bytes: Int
  /// The names of the journals that are not in the backup, so that it lacks the unsaved edits and screens in them. The
  /// library does not trust a journal that another user of the operating system owns or may write. A journal must also
  /// be a plain file.
  public let missingJournals: [String]
}

extension StoreMaintenance {
  /// Copies an open store to a new directory, as it is at one moment. The copy has the log, all objects and indexes,
  /// and the drafts and screens of all processes. Saves continue meanwhile, after a pause of milliseconds at the
  /// beginning.
  ///
  /// ```swift
  /// try await StoreMaintenance.backup(store, to: "/backups/notes-monday")
  /// ```
  ///
  /// The copy has no free pages, so it may be much smaller. It is an independent store. To inspect it, open it. To
  /// restore it, close this store, remove its directory, and move the copy there. When the call returns, the copy
  /// survives a power cut. Until then, no program can open the directory as a store.
  ///
  /// If you restore only the copy's `data.mdb` and keep later journals, the saves since the backup are lost. Drafts
  /// based on these saves can still be resumed. `draftProblems` reports such a draft, even after other saves.
  ///
  /// The copy lacks previews of scenes, and the record of the nodes that ended the last launch, because both belong to
  /// this machine.
  ///
  /// Reads and writes each used page once. Pages that saves free meanwhile are reused after the call.
  ///
  /// A store that is open for reading only, by `Store.open(inspecting:)`, can be copied, too. The call then does not
  /// pause the saves of other processes. A store of a shared log must be open for editing.
  ///
  /// - Parameters:
  ///   - store: An open store. Other processes may have it open, too.
  ///   - newPath: A directory that is empty or does not exist; its parent directory must exist.
  ///   - progress: Called on a thread of the library, some times a second.
  /// - Throws: ``StoreError``: `notAStore` if the new path is not empty, `closed`, or `opening` if the store is not
  ///   open yet. `sharesLog` if a store that is open for reading only shares its log. `diskFull` and other failures of
  ///   the system name the path of the failure. The call then removes its files at the new path.
  @discardableResult
  public nonisolated(nonsending) static func backup(
    _ store: Store, to newPath: String, progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws -> BackupReport {
    try store.requireOpen()
    await store.journals.endFrameOfOpenTurns()
    return try await SystemThread.run { () throws(StoreError) in try backupNow(store, to: newPath, progress) }
  }

  /// - Parameter copiesJournals: Whether the copy has the unsaved edits and screens that are not checkpointed yet.
  static func backupNow(
    _ store: Store, to newPath: String, copiesJournals: Bool = true,
    _ progress: (@Sendable (BackupProgress) -> Void)?
  ) throws(StoreError) -> BackupReport {
    try store.requireOpen()
    if store.environment.isForked { throw .forked(path: store.path) }
    let (_, access) = try StoreDirectory.requireStore(store.path)
    var target = try BackupDirectory(newPath, access)
    let end: (head: Position?, bytes: Int, missingJournals: [String])
    do throws(StoreError) {
      end = try back(up: store, to: &target, copiesJournals: copiesJournals, progress)
      try target.finish()
    } catch {
      target.remove()
      throw error
    }
    if store.files.sharing != nil { try makeIndependent(newPath, isSeed: false) }
    let position = if let head = end.head { head } else { try head(ofCopy: newPath, access) }
    return BackupReport(position: position, bytes: end.bytes, missingJournals: end.missingJournals)
  }

  /// - Returns: The head is `nil` if only the copy has it.
  private static func back(
    up store: Store, to target: inout BackupDirectory, copiesJournals: Bool,
    _ progress: (@Sendable (BackupProgress) -> Void)?
  ) throws(StoreError) -> (head: Position?, bytes: Int, missingJournals: [String]) {
    let begun =
      store.environment.options.readOnly
      ? try beginBesideSaves(of: store, to: target.data, copiesJournals: copiesJournals)
      : try beginBetweenSaves(of: store, to: target.data, copiesJournals: copiesJournals)
    let expected = (try? store.environment.sizeOfCopy()) ?? 0
    var written: StoreError?
    do throws(StoreError) {
      for (name, bytes) in begun.journals.contents { try target.write(bytes, journal: name) }
    } catch {
      written = error
    }
    do throws(StorageError) {
      try begun.copy.wait { bytes in progress?(BackupProgress(bytes: bytes, expectedBytes: max(bytes, expected))) }
    } catch {
      throw StoreError(error.copying(to: target.path))
    }
    if let written { throw written }
    if let commit = begun.interruptedCommit {
      try StoreError.converting { () throws(StorageError) in try commit.repeat(inCopy: target.dataPath, store.path) }
    }
    let bytes = begun.copy.byteCount
    progress?(BackupProgress(bytes: bytes, expectedBytes: bytes))
    return (begun.head, bytes, begun.journals.missing)
  }

  private static func beginBetweenSaves(
    of store: Store, to file: Int32, copiesJournals: Bool
  ) throws(StoreError) -> BegunBackup {
    // The backup includes entries that this process has not written yet.
    do throws(JournalError) { try store.journal.write(cutsTurns: false) } catch {
      throw StoreError(error, path: store.path)
    }
    var journals = CopiedJournals()
    let (copy, head) = try store.environment.write {
      (transaction) throws(StoreError) -> (EnvironmentCopy, Position) in
      // During this transaction no process saves or checkpoints. Both move edits from journals to the log and the
      // tables, so each edit is in exactly one of them.
      let (copy, head) = try StoreError.converting { () throws(StorageError) in
        let head = try store.files.log.lastPosition(transaction.view)
        let copy = try store.environment.copy(to: file)
        copy.begin()
        return (copy, head)
      }
      do throws(JournalError) {
        if copiesJournals { journals = try store.journal.copies() }
      } catch {
        // The copy uses the file until it has ended.
        try? copy.wait { _ in }
        throw StoreError(error, path: store.path)
      }
      return (copy, head)
    }
    return BegunBackup(copy: copy, head: head, journals: journals)
  }
}
