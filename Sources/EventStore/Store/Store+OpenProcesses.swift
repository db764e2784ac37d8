import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseSystem

extension Store {
  /// The IDs of the other processes that have the store open, ascending. A process in another container reports the ID
  /// that it has there, and only if it has a draft or a scene.
  ///
  /// Reads LMDB's table of readers, and the claims of drafts and scenes.
  package func openProcesses() throws(StoreError) -> [Int32] {
    try requireOpen()
    var processes = try StoreError.converting { () throws(StorageError) in try environment.livingReaders() }
    for (place, number) in journal.claims.enumerated() where !place.isMultiple(of: 2) {
      processes.insert(Int32(truncatingIfNeeded: number))
    }
    return processes.subtracting([0, OwnProcess.id]).sorted()
  }

  /// Numbers that are not the same after drafts, scenes or objects have changed, or a process has claimed or released a
  /// draft or a scene. Only the numbers of one store in one process can be compared.
  ///
  /// Meant for a caller that asks several times each second. It reads the last commit's number, the names and sizes of
  /// the journals, and the claims. If this process has unwritten edits or states, it writes them, unless a turn is
  /// open.
  package func draftsToken() throws(StoreError) -> [Int] {
    try requireOpen()
    _ = try? journal.write(cutsTurns: false)
    let claims = journal.claims.map { Int(truncatingIfNeeded: $0) }
    let files: [Int]
    do throws(JournalError) { files = try journal.change() } catch {
      throw StoreError(error, path: path)
    }
    let commit = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in transaction.view.transactionID }
    }
    return [commit, files.count] + files + claims
  }
}
