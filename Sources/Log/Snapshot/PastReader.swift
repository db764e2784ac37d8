import RepriseLMDB
import RepriseObjectModel

/// Reads versions that the version window has spilled from the log.
///
/// An object costs O(log version) frames to find a version by the version pointers. In addition, it costs one frame for
/// each version that is undone, from the head or from the nearest whole state in the log. An object that was inserted
/// later costs none. Finding the changed objects costs all frames between the positions. A class, because a read uses
/// many frames, and each use of a struct would copy the references to the tables.
package final class PastReader {
  package let log: LogTable
  package let objects: ObjectTable
  package let map: SchemaMap

  package init(log: LogTable, objects: ObjectTable, map: SchemaMap) {
    self.log = log
    self.objects = objects
    self.map = map
  }

  /// Takes back an object's changes after `lower`, up to `upper`.
  ///
  /// - Parameter known: The head of the object's record, if it is known.
  package func rewind(
    _ values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID, _ entity: EntityMap, from upper: Position,
    to lower: Position, _ view: View, _ known: RecordHeader? = nil
  ) throws(StorageError) -> ContiguousArray<PropertyValue>? {
    var found = known
    if found == nil { found = try header(id.uuid, entity, view) }
    guard let header = found else { return values }
    let frames = log.reader(view)
    guard var place = try place(header, of: id, entity, upTo: upper, frames) else { return values }
    var values = values
    if let state = try state(of: id, entity, header, between: lower, and: place, frames) {
      place = state
      values = try withEvent(of: id, entity, at: state.position, frames) { (event, change, frame) throws(ReplayError) in
        try event.values(after: change, in: frame, entity, map)
      }
    }
    var past = SlotValues(values, of: id.uuid, entity, map)
    while place.position > lower {
      guard let earlier = try takeBack(place, of: id, entity, from: &past, frames) else { return nil }
      place = earlier
    }
    return try log.applying(lower) { () throws(ReplayError) in try past.settled() }
  }

  /// A version whose whole state is in the log, if using it is cheaper than undoing all versions from `upper` to the
  /// one at a position.
  private func state(
    of id: AnyObjectID, _ entity: EntityMap, _ header: RecordHeader, between lower: Position, and upper: VersionPlace,
    _ frames: TableReader
  ) throws(StorageError) -> VersionPlace? {
    let worth = Self.stepsWithoutSearch
    guard upper.version > worth, header.versions(notAfter: lower) + worth < upper.version else { return nil }
    var found: VersionPlace?
    _ = try header.place(notAfter: lower) { (place) throws(StorageError) in
      try withEvent(of: id, entity, at: place.position, frames) { (event, change, frame) throws(ReplayError) in
        if place.version < upper.version, try event.hasValues(after: change, in: frame) { found = place }
        guard let found, event.pointers.skip <= lower else { return event.pointers }
        // The requested version lies in the block that ends here.
        let rest = found.version - VersionPointers.skipped(from: place.version)
        return rest > worth ? event.pointers : nil
      }
    }
    return found
  }

  /// Undoes so many versions without a search for a nearer state.
  private static let stepsWithoutSearch: UInt64 = 31

  /// The latest version at a position. `nil` if the object did not exist yet.
  ///
  /// - Parameter frames: A reader of the log, here and below.
  package func place(
    of id: AnyObjectID, _ entity: EntityMap, upTo upper: Position, _ frames: TableReader
  ) throws(StorageError) -> VersionPlace? {
    guard let header = try header(id.uuid, entity, frames.view) else { return nil }
    return try place(header, of: id, entity, upTo: upper, frames)
  }

  private func place(
    _ header: RecordHeader, of id: AnyObjectID, _ entity: EntityMap, upTo upper: Position, _ frames: TableReader
  ) throws(StorageError) -> VersionPlace? {
    if let last = header.place, last.position <= upper { return last }
    return try header.place(notAfter: upper) { (place) throws(StorageError) in
      try withEvent(of: id, entity, at: place.position, frames) { (event, _, _) in event.pointers }
    }
  }

  /// The version before another. `nil` before the first.
  ///
  /// - Parameter pointers: The pointers of the event that made the other one. `nil` if there is no such event.
  package func place(
    before version: VersionPlace, of id: AnyObjectID, _ pointers: VersionPointers?
  ) throws(StorageError) -> VersionPlace? {
    if version.version == 1 { return nil }
    let previous = pointers?.previous ?? 0
    guard previous > 0, previous < version.position else {
      throw log.damaged(
        version.position,
        "the event of \(id) in transaction \(version.position) names transaction \(previous) as the one with the "
          + "version before, which is impossible")
    }
    return VersionPlace(version: version.version - 1, position: previous)
  }

  /// Calls `body` with an object's versions between two positions, the latest first.
  package func forEachVersion(
    of id: AnyObjectID, _ entity: EntityMap, upTo upper: Position, from lower: Position, _ frames: TableReader,
    _ body: (VersionPlace) throws(StorageError) -> Void
  ) throws(StorageError) {
    var next = try place(of: id, entity, upTo: upper, frames)
    while let version = next, version.position >= lower {
      try body(version)
      let pointers = try withEvent(of: id, entity, at: version.position, frames) { (event, _, _) in event.pointers }
      next = try place(before: version, of: id, pointers)
    }
  }

  /// Turns the values after a version into those before it. Returns the version before. `nil` if there is none.
  fileprivate func takeBack(
    _ version: VersionPlace, of id: AnyObjectID, _ entity: EntityMap, from values: inout SlotValues,
    _ frames: TableReader
  ) throws(StorageError) -> VersionPlace? {
    // Version 1 inserted the object.
    if version.version == 1 {
      values = SlotValues(nil, of: id.uuid, entity, map)
      return nil
    }
    let pointers = try withEvent(of: id, entity, at: version.position, frames) {
      (event, change, _) throws(ReplayError) in
      try change.inverse.applied(to: &values)
      return event.pointers
    }
    return try place(before: version, of: id, pointers)
  }

  /// Calls `body` with each object that changed after `lower`, up to `upper`, once for each change.
  package func forEachChange(
    after lower: Position, upTo upper: Position, _ view: View, _ body: (AnyObjectID) -> Void
  ) throws(StorageError) {
    try log.forEachFrame(after: lower, upTo: upper, view) { (frame) throws(MalformedBytes) in
      var events = frame.events
      while let event = try events.next() { if let object = event.object(map) { body(object) } }
    }
  }

  private func header(_ uuid: UniqueID, _ entity: EntityMap, _ view: View) throws(StorageError) -> RecordHeader? {
    let header = try objects.header(of: uuid, entity, view)
    if let header { return header }
    return try objects.withTombstone(of: uuid, entity, view) { (record) in record.header }
  }

  private func withEvent<Result>(
    of id: AnyObjectID, _ entity: EntityMap, at position: Position, _ frames: TableReader,
    _ body: (LogEvent, Change, LogFrame) throws(ReplayError) -> Result
  ) throws(StorageError) -> Result {
    let object = ObjectAddress(entity: entity.number, uuid: id.uuid)
    var failure: ReplayError?
    let result = try log.withFrame(position, frames, readsNames: false) { (frame) throws(MalformedBytes) -> Result? in
      var events = frame.events
      while let event = try events.next() {
        guard let change = event.change, change.object == object else { continue }
        do throws(ReplayError) {
          return try body(event, change, frame)
        } catch {
          failure = error
          return nil
        }
      }
      return nil
    }
    guard let result else {
      throw log.damaged(
        position,
        failure.map { "the event of \(id) in transaction \(position): \($0)" }
          ?? "transaction \(position) has no event of \(id)")
    }
    return result
  }
}

extension LogEvent {
  /// Whether the frame has the object's whole state after the event.
  fileprivate func hasValues(after change: Change, in frame: LogFrame) throws(ReplayError) -> Bool {
    if change.kind != .updated { return true }
    return try ReplayError.wrapping { () throws(MalformedBytes) in try frame.record(after: self) != nil }
  }

  /// The object's values after the event, if ``hasValues(after:in:)`` is true.
  fileprivate func values(
    after change: Change, in frame: LogFrame, _ entity: EntityMap, _ map: SchemaMap
  ) throws(ReplayError) -> ContiguousArray<PropertyValue>? {
    if change.kind == .deleted { return nil }
    return try ReplayError.wrapping { () throws(MalformedBytes) in
      let record = try frame.record(after: self)
      guard let fields = change.whole ?? record?.fields, record?.kind != .tombstone else {
        throw MalformedBytes("a keyframe", at: 0)
      }
      return try fields.unerasedValues(entity, map)
    }
  }
}

/// The values of an object at its versions, the latest first. Versions are undone only as far as callers request them.
package struct PastValues {
  private let past: PastReader
  private let id: AnyObjectID
  private let entity: EntityMap
  private var values: SlotValues
  /// The version whose values these are. `nil` if there are none yet.
  private var place: VersionPlace?

  package init(_ past: PastReader, _ id: AnyObjectID, _ entity: EntityMap) {
    self.past = past
    self.id = id
    self.entity = entity
    values = SlotValues(nil, of: id.uuid, entity, past.map)
  }

  /// The values before and after a version, which must be earlier than the versions of all previous calls.
  ///
  /// - Parameter frames: A reader of the log.
  package mutating func around(
    _ version: VersionPlace, _ frames: TableReader
  ) throws(StorageError) -> (before: ContiguousArray<PropertyValue>?, after: ContiguousArray<PropertyValue>?) {
    while let later = place, later.version > version.version {
      place = try past.takeBack(later, of: id, entity, from: &values, frames)
    }
    if place != version {
      let head = try past.objects.values(of: id.uuid, entity, past.map, frames.view)
      let found = try past.rewind(head, id, entity, from: Position(.max), to: version.position, frames.view)
      values = SlotValues(found, of: id.uuid, entity, past.map)
    }
    let after = try past.log.applying(version.position) { () throws(ReplayError) in try values.settled() }
    place = try past.takeBack(version, of: id, entity, from: &values, frames)
    let before = try past.log.applying(version.position) { () throws(ReplayError) in try values.settled() }
    return (before, after)
  }
}
