import RepriseJournal
import RepriseLMDB
import RepriseLog

extension Store {
  /// The IDs of processes that have the store open, from LMDB's table of readers and from the claims of drafts and
  /// scenes. Some are there several times, and 0 stands for an unknown ID.
  package func processNumbers() throws(StoreError) -> [Int] {
    try requireOpen()
    let readers = try StoreError.converting { () throws(StorageError) in try environment.readers(freesDead: true) }
    var numbers: [Int] = []
    for reader in readers { numbers.append(reader.process) }
    let claims = journal.claims
    for place in stride(from: 1, to: claims.count, by: 2) { numbers.append(claims[place]) }
    return numbers
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
    let claims = journal.claims
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
