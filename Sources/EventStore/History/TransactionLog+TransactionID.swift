import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension TransactionLog {
  /// The position of a transaction in the log; `nil` if the log does not have it.
  ///
  /// Call it after ``SaveError/outcomeUnknown(transaction:)``, when you have closed the store and opened it again. The
  /// answer is then final: the call flushes, so that no power cut can change it.
  ///
  /// Reads the log from its head back to the transaction. If the log does not have the transaction, the call reads the
  /// whole log, unless the transaction is newer than the head. Recorded times cannot end the search earlier, because
  /// clocks may have been wrong.
  ///
  /// - Throws: ``StoreError``: the store is closed, a transaction that must be read is damaged, or the disk still
  ///   fails, so that the answer would not be final.
  public func position(ofTransaction id: UniqueID) async throws -> Position? {
    try await SystemThread.run { () throws(StoreError) in
      try StoreError.converting(store.environment.settle)
      return try store.read { (view, head) throws(StorageError) in try self.find(id, upTo: head, view) }
    }
  }

  private func find(_ id: UniqueID, upTo head: Position, _ view: View) throws(StorageError) -> Position? {
    let meta = MetaTable(store.tables.meta)
    let greatest = try meta.head(view).greatestID
    if id != greatest, UniqueID.later(greatest, id) == id { return nil }
    let first = try meta.firstPosition(view)
    var position = head
    while position >= first, position > 0 {
      let found = try store.files.log.withFrame(position, view, readsNames: false) { (frame) throws(MalformedBytes) in
        frame.envelope.transactionID
      }
      if found == id { return position }
      position = position - 1
    }
    return nil
  }
}
