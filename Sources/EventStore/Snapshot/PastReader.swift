import RepriseLMDB
import RepriseObjectModel

/// Reads versions that the version window has spilled from the log.
///
/// An object costs one frame for each version taken back, and O(log version) frames to find the first by the version
/// pointers; an object inserted later costs none. Finding which objects changed costs all frames between the positions.
struct PastReader {
  let log: LogTable
  let objects: ObjectTable
  let map: SchemaMap

  /// Takes back an object's changes after `lower`, up to `upper`.
  func rewind(
    _ values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID, _ entity: EntityMap, from upper: Position,
    to lower: Position, _ view: View
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    guard var place = try place(of: id, entity, upTo: upper, view) else { return values }
    var values = values
    while place.position > lower {
      guard let earlier = try takeBack(place, of: id, entity, from: &values, view) else { break }
      place = earlier
    }
    return values
  }

  /// Calls `body` with an object's versions between two positions, the latest first, and its values before and after
  /// each, until it returns false.
  func forEachVersion(
    of id: AnyObjectID, _ entity: EntityMap, upTo upper: Position, from lower: Position, _ view: View,
    _ body: (VersionPlace, _ before: LogEvent.Values?, _ after: LogEvent.Values?) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard let first = try place(of: id, entity, upTo: upper, view), first.position >= lower else { return }
    let head = try objects.values(of: id.uuid, entity, map, view)
    var values = try rewind(head, id, entity, from: Position(.max), to: first.position, view)
    var place: VersionPlace? = first
    while let version = place, version.position >= lower {
      let after = values
      place = try takeBack(version, of: id, entity, from: &values, view)
      guard try body(version, values, after) else { return }
    }
  }

  /// The latest version at a position; `nil` if the object did not exist yet.
  private func place(
    of id: AnyObjectID, _ entity: EntityMap, upTo upper: Position, _ view: View
  ) throws(StorageError) -> VersionPlace? {
    guard let header = try header(id.uuid, entity, view) else { return nil }
    return try header.place(notAfter: upper) { (position) throws(StorageError) in
      try withEvent(of: id, entity, at: position, view) { $0.pointers }
    }
  }

  /// Turns the values after a version into those before it. Returns the version before; `nil` if there is none.
  private func takeBack(
    _ version: VersionPlace, of id: AnyObjectID, _ entity: EntityMap, from values: inout LogEvent.Values?, _ view: View
  ) throws(StorageError) -> VersionPlace? {
    // Version 1 inserted the object.
    if version.version == 1 {
      values = nil
      return nil
    }
    let previous = try withEvent(of: id, entity, at: version.position, view) { (event) throws(ReplayError) in
      try event.applyBackward(to: &values, entity, map)
      return event.pointers.previous
    }
    guard previous > 0, previous < version.position else {
      throw log.damaged(
        version.position, "the event of \(id) in transaction \(version.position) leads to \(previous)")
    }
    return VersionPlace(version: version.version - 1, position: previous)
  }

  /// Calls `body` with each object that changed after `lower`, up to `upper`, once for each change.
  func forEachChange(
    after lower: Position, upTo upper: Position, _ view: View, _ body: (AnyObjectID) -> Void
  ) throws(StorageError) {
    guard lower < upper else { return }
    for position in lower + 1...upper {
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
        var events = frame.events
        while let event = try events.next() { if let object = event.object(map) { body(object) } }
      }
    }
  }

  private func header(_ uuid: UniqueID, _ entity: EntityMap, _ view: View) throws(StorageError) -> RecordHeader? {
    var record = try objects.bytes(of: uuid, entity, view)
    if record == nil { record = try objects.bytes(of: uuid, entity, isTombstone: true, view) }
    guard let record else { return nil }
    return try objects.parsing(uuid, entity) { () throws(MalformedBytes) in
      try record.lend { (bytes) throws(MalformedBytes) in try RecordReader(bytes).header }
    }
  }

  private func withEvent<Result>(
    of id: AnyObjectID, _ entity: EntityMap, at position: Position, _ view: View,
    _ body: (LogEvent) throws(ReplayError) -> Result
  ) throws(StorageError) -> Result {
    var failure: ReplayError?
    let result = try log.withFrame(position, view) { (frame) throws(MalformedBytes) -> Result? in
      var events = frame.events
      while let event = try events.next() {
        guard event.entity == entity.number, event.uuid == id.uuid else { continue }
        do throws(ReplayError) {
          return try body(event)
        } catch {
          failure = error
          return nil
        }
      }
      return nil
    }
    guard let result else {
      let reason = failure.map { "\($0)" } ?? "there is none"
      throw log.damaged(position, "the event of \(id) in transaction \(position): \(reason)")
    }
    return result
  }
}
