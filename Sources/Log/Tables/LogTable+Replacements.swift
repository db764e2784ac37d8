import RepriseLMDB
import RepriseObjectModel

extension LogTable {
  /// The transaction that declared a property in place of another one, which it retired. `nil` if the log has it no
  /// more. O(log n) for each transaction that changed the schema since.
  package func position(ofReplacing old: UInt32, by new: UInt32, _ view: View) throws(StorageError) -> Position? {
    guard let first = try firstPosition(view) else { return nil }
    var end = try lastPosition(view)
    while end >= first {
      let change = try position(ofRevisionAt: end, from: first, view)
      if try replaces(old, by: new, at: change, view) { return change }
      end = change - 1
    }
    return nil
  }

  /// The first transaction with the revision of the schema that another one has: revisions ascend.
  private func position(
    ofRevisionAt end: Position, from first: Position, _ view: View
  ) throws(StorageError) -> Position {
    let revision = try revision(at: end, view)
    var (low, high) = (first.number, end.number)
    while low < high {
      let middle = low + (high - low) / 2
      if try self.revision(at: Position(middle), view) < revision { low = middle + 1 } else { high = middle }
    }
    return Position(low)
  }

  private func revision(at position: Position, _ view: View) throws(StorageError) -> UInt32 {
    try withFrame(position, view, readsNames: false) { (frame) in frame.envelope.schemaRevision }
  }

  private func replaces(
    _ old: UInt32, by new: UInt32, at position: Position, _ view: View
  ) throws(StorageError) -> Bool {
    try withFrame(position, view, readsNames: false) { (frame) throws(MalformedBytes) in
      var (isRetired, isDeclared) = (false, false)
      var events = frame.events
      while let event = try events.next() {
        guard case .property(_, let property)? = try event.schemaChange() else { continue }
        if property.number == old { isRetired = property.name.isEmpty }
        if property.number == new { isDeclared = true }
      }
      return isRetired && isDeclared
    }
  }
}
