import RepriseLMDB
import RepriseObjectModel
import RepriseSystem

extension Store {
  /// The position of a transaction in the log; `nil` if it is not there. Resolves
  /// ``SaveError/outcomeUnknown(transaction:)`` once the store has been closed and opened again: the answer is then
  /// final.
  ///
  /// Reads the log from its head back to a day before the transaction's UUID was created, so it costs everything saved
  /// since then; and flushes, so that no power cut can change the answer.
  ///
  /// - Throws: ``StoreError``: the store is closed, or a transaction that must be read is damaged; or the disk still
  ///   fails, so that the answer would not be final.
  public func position(ofTransaction id: UniqueID) async throws -> Position? {
    try await SystemThread.run { () throws(StoreError) in
      try StoreError.converting(self.environment.settle)
      return try self.read { (view, head) throws(StorageError) in try self.find(id, upTo: head, view) }
    }
  }

  /// Longer than any clock is set back while a save waits.
  private static let aDay: Int64 = 86_400_000_000

  private func find(_ id: UniqueID, upTo head: Position, _ view: View) throws(StorageError) -> Position? {
    let earliest = Int64(id.high >> 16) * 1_000 - Self.aDay
    let meta = MetaTable(tables.meta)
    let first = try meta.firstPosition(view)
    if first > head { return nil }
    for stretch in try meta.clockSteps(view).stretches(from: first, through: head) {
      for position in stretch.reversed() {
        let (found, time) = try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
          (frame.envelope.transactionID, frame.logTime)
        }
        if found == id { return position }
        // Those before it in the stretch are earlier still.
        if time < earliest { break }
      }
    }
    return nil
  }
}
