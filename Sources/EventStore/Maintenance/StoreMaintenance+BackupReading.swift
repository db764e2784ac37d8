import RepriseJournal
import RepriseLMDB
import RepriseLog

/// A backup whose moment is settled.
struct BegunBackup {
  let copy: EnvironmentCopy
  /// The last transaction of the copy. `nil` if only the copy has it.
  let head: Position?
  let journals: CopiedJournals
  /// The commit after the copy, which a power cut or a kill interrupted.
  var interruptedCommit: InterruptedCommit?
}

extension StoreMaintenance {
  /// Begins the backup of a store that is open for reading only, and so cannot keep other processes from saving.
  ///
  /// The journals are copied first. An edit that a save or a checkpoint moves meanwhile is then in a journal and in the
  /// tables. The table `journals` has the progress of both, so readers ignore the entry in the journal.
  static func beginBesideSaves(
    of store: Store, to file: Int32, copiesJournals: Bool
  ) throws(StoreError) -> BegunBackup {
    let before = try state(of: store)
    // A commit that another process is making becomes the last one meanwhile.
    let interrupted = try StoreError.converting(store.environment.interruptedCommit)
    var journals = CopiedJournals()
    do throws(JournalError) { if copiesJournals { journals = try store.journal.copies() } } catch {
      throw StoreError(error, path: store.path)
    }
    let copy = try StoreError.converting { () throws(StorageError) in try store.environment.copy(to: file) }
    copy.begin()
    let after: (commit: Int, head: Position)
    do throws(StoreError) { after = try state(of: store) } catch {
      // The copy uses the file until it has ended.
      try? copy.wait { _ in }
      throw error
    }
    let isSame = before.commit == after.commit
    let repeated = isSame && interrupted?.number == before.commit + 1 ? interrupted : nil
    return BegunBackup(
      copy: copy, head: before.head == after.head && repeated == nil ? before.head : nil, journals: journals,
      interruptedCommit: repeated)
  }

  private static func state(of store: Store) throws(StoreError) -> (commit: Int, head: Position) {
    try StoreError.converting { () throws(StorageError) in
      try store.environment.read { (transaction) throws(StorageError) in
        let view = transaction.view
        try MetaTable(store.files.tables.meta).requireUnshared(view)
        return (transaction.id, try store.files.log.lastPosition(view))
      }
    }
  }

  /// The last transaction of a complete copy.
  static func head(ofCopy path: String, _ access: StoreAccess) throws(StoreError) -> Position {
    let environment = try StoreOpener.environment(path, access, checksStructure: false)
    defer { environment.close() }
    let log = LogTable(StoreTables(environment).log)
    return try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in try log.lastPosition(transaction.view) }
    }
  }
}
