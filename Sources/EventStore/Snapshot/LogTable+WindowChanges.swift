import RepriseLMDB
import RepriseObjectModel

extension LogTable {
  /// The version window's entry for a transaction that another process saved.
  func windowTransaction(
    _ position: Position, _ view: View, _ map: SchemaMap
  ) throws(StorageError) -> VersionWindow.Transaction {
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

  /// An object's values before a logged change, given those after it.
  func before(
    _ change: WindowChange, at position: Position, _ values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID,
    _ entity: EntityMap, _ map: SchemaMap
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    do throws(ReplayError) {
      return try change.before(values, entity, map)
    } catch {
      throw damaged(position, "an event of \(id): \(error)")
    }
  }
}
