import RepriseLMDB
import RepriseObjectModel
import RepriseSystem

extension Store {
  /// Where a transaction stands in the log; `nil` if it does not. For ``SaveError/outcomeUnknown(transaction:)``, once
  /// the store was closed and opened again: what it says then stays true.
  ///
  /// Reads the log from its head back to a day before the transaction's UUID was made, so it costs what was saved since
  /// then; and a flush, so that no power cut makes it another answer.
  ///
  /// - Throws: ``StoreError``: the store is closed, or a transaction that must be read is damaged; or the disk still
  ///   fails, so that nothing can be said for certain.
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
    for position in stride(from: head, to: 0, by: -1) {
      let (found, time) = try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        (frame.envelope.transactionID, frame.logTime)
      }
      if found == id { return position }
      if time < earliest { return nil }
    }
    return nil
  }
}
