import RepriseLMDB
import RepriseObjectModel

extension LogTable {
  /// What the version window needs of a transaction that another process saved.
  func windowTransaction(
    _ position: Position, _ view: View, _ map: SchemaMap
  ) throws(StoreError) -> VersionWindow.Transaction {
    let changes = try withFrame(position, view) { (frame) throws(MalformedBytes) in
      var changes: [(object: AnyObjectID, change: WindowChange)] = []
      var events = frame.events
      while let event = try events.next() {
        guard let object = event.object(map) else { continue }
        changes.append((object, .logged([UInt8](event.raw))))
      }
      return changes
    }
    return VersionWindow.Transaction(position: position, changes: changes)
  }
}
