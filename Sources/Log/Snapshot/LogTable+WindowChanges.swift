import RepriseLMDB
import RepriseObjectModel

extension LogTable {
  /// The version window's entry for a transaction that another process saved.
  package func windowTransaction(
    _ position: Position, _ view: View, _ map: SchemaMap
  ) throws(StorageError) -> VersionWindow.Transaction {
    try withFrame(position, view) { (frame) throws(MalformedBytes) in
      var places: [VersionWindow.Transaction.Place] = []
      var events = frame.events
      while let event = try events.next() {
        guard let object = event.object(map), let start = event.body.baseAddress, let first = frame.bytes.baseAddress
        else { continue }
        places.append((object, start - first..<start - first + event.body.count))
      }
      return VersionWindow.Transaction(position: position, frame: [UInt8](frame.bytes), events: 0, places)
    }
  }
}

extension LogTable {
  /// Reverts some versions of an object, the latest first: turns the values after them into the values before them.
  package func rolledBack(
    _ versions: [VersionWindow.Version], from values: ContiguousArray<PropertyValue>?, of uuid: UniqueID,
    _ entity: EntityMap, _ map: SchemaMap
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    guard let last = versions.last else { return values }
    var then = SlotValues(values, of: uuid, entity, map)
    for version in versions {
      try applying(version.position) { () throws(ReplayError) in try version.rollBack(from: &then) }
    }
    return try applying(last.position) { () throws(ReplayError) in try then.settled() }
  }
}

extension VersionWindow.Version {
  /// Turns an object after this version into the one before it.
  fileprivate func rollBack(from values: inout SlotValues) throws(ReplayError) {
    try body.withUnsafeBufferPointer { (body) throws(ReplayError) in
      let change = try ReplayError.wrapping { () throws(MalformedBytes) in try Change(UnsafeRawBufferPointer(body)) }
      try change.inverse.applied(to: &values)
    }
  }
}

extension VersionWindow.Transaction {
  /// The objects that the transaction deleted.
  package var deleted: [AnyObjectID] {
    changes.filter { $0.body.first.flatMap(EventKind.init)?.effect == .deleted }.map(\.object)
  }

  /// The transaction's changes to objects of this process's models, without properties that the models lack. A changed
  /// part of a text or of bytes is null.
  package func changes(_ map: SchemaMap) -> [(object: AnyObjectID, change: ObjectChange)] {
    changes.compactMap { _, body in
      body.withUnsafeBytes { body in
        guard let change = try? Change(body), var found = SlotChange(change.kind, of: change.object, map) else {
          return nil
        }
        var fields = change.fields
        while let (number, field) = try? fields.next() {
          guard let slot = found.entity.slot(number) else { continue }
          guard case .set(let old, let new) = field, let from = try? found.entity.value(old, slot, map),
            let to = try? found.entity.value(new, slot, map)
          else {
            found.add(slot, from: .null, to: .null)
            continue
          }
          found.add(slot, from: from, to: to)
        }
        return found.finished
      }
    }
  }
}
