import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The effect of one transaction on one object.
package struct LoggedChange: Sendable {
  package enum Kind: Equatable, Sendable {
    case inserted
    /// The slots of the changed properties. Empty if this program's model has none of them.
    case updated(slots: [Int])
    case deleted
  }

  package let position: Position
  package let object: UniqueID
  package let kind: Kind
}

extension TransactionLog {
  /// The changes that all authors but one made to objects of an entity after a position, oldest first. Returns the
  /// changes of up to `limit` transactions, and the position of the last of these. Reads these transactions.
  package func loggedChanges(
    of map: EntityMap, after position: Position, limit: Int, except author: String
  ) throws(StoreError) -> (changes: [LoggedChange], upTo: Position) {
    try store.read { (view, head) throws(StorageError) in
      // A source that has begun keeps the floor from passing its position. A new source begins at the floor.
      let position = max(position, try MetaTable(store.tables.meta).firstPosition(view) - 1)
      let last = Swift.min(head, position + Swift.max(1, limit))
      guard position < last else { return ([], position) }
      let number = try MetaTable(store.tables.meta).number(MetaKey.number(of: author), view)
      var changes: [LoggedChange] = []
      for position in position + 1...last {
        var isExcepted = false
        try store.files.log.forEachEvent(of: position, view) { (frame) throws(MalformedBytes) in
          switch frame.envelope.author {
          case .interned(let other): isExcepted = other == number
          case .inline(let name): isExcepted = name == author
          case .none, .redacted: break
          }
        } _: { (event) throws(ReplayError) in
          guard !isExcepted, let change = event.change, change.object.entity == map.number,
            let kind = try event.loggedKind(change, map)
          else { return }
          changes.append(LoggedChange(position: position, object: change.object.uuid, kind: kind))
        }
      }
      return (changes, last)
    }
  }
}

extension LogEvent {
  fileprivate func loggedKind(_ change: Change, _ map: EntityMap) throws(ReplayError) -> LoggedChange.Kind? {
    switch change.kind {
    case .inserted: return .inserted
    case .deleted: return .deleted
    case .updated:
      // A change of an edge changes no property of the object.
      guard kind == .updated else { return nil }
      var slots: [Int] = []
      var fields = change.fields
      while let (number, _) = try ReplayError.wrapping({ () throws(MalformedBytes) in try fields.next() }) {
        if let slot = map.slot(number) { slots.append(slot) }
      }
      return .updated(slots: slots)
    }
  }
}
