import RepriseObjectModel

/// One event of a frame, in lent bytes.
package struct LogEvent {
  package let index: Int
  /// `nil` for a redacted event with nothing left but its hash.
  package let kind: EventKind?
  /// Whether values were erased. The residue is protected by the frame's checksum, but no longer by the hash chain.
  package let isRedacted: Bool
  /// The change of an object. `nil` if the event is not about an object, or if everything was erased. A merged object
  /// is deleted, and an edge changes no property.
  package let change: Change?
  package private(set) var pointers: VersionPointers
  /// Salt and body; for a redacted event, its hash.
  private let covered: UnsafeRawBufferPointer
  /// The kind and the rest. Empty if only the hash is left.
  package let body: UnsafeRawBufferPointer

  static let saltSize = 16

  package init(_ reader: inout ByteReader, index: Int, _ pointers: VersionPointers) throws(MalformedBytes) {
    let head = try reader.varint("an event's size")
    guard head >> 1 <= UInt64(reader.remaining) else { throw reader.fail("an event's size") }
    let size = Int(head >> 1)
    isRedacted = head & 1 == 1
    let start = reader.offset
    if isRedacted {
      covered = try reader.take(Digest.size, "an event's hash")
      body = try reader.take(size, "the rest of an event")
    } else {
      _ = try reader.take(Self.saltSize, "a salt")
      body = try reader.take(size, "an event")
      covered = UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset])
    }
    self.index = index
    self.pointers = pointers
    if isRedacted, body.isEmpty {
      (kind, change) = (nil, nil)
      return
    }
    guard let kind = body.first.flatMap(EventKind.init) else { throw MalformedBytes("an event's kind", at: start) }
    self.kind = kind
    change = kind.effect == nil ? nil : try Change(body)
  }

  /// The event with the pointers that it has in another copy of the log.
  package func taking(_ pointers: VersionPointers) -> LogEvent {
    var event = self
    event.pointers = pointers
    return event
  }

  /// The kind of the event at the reader's offset. The rest of the event is not read. `nil` for a redacted event
  /// without a rest, and for an unknown kind.
  static func kind(at reader: ByteReader) throws(MalformedBytes) -> EventKind? {
    var reader = reader
    let head = try reader.varint("an event's size")
    if head >> 1 == 0 { return nil }
    _ = try reader.take(head & 1 == 1 ? Digest.size : Self.saltSize, "the salt or the hash of an event")
    return EventKind(rawValue: try reader.byte("an event's kind"))
  }

  /// The event's hash in the chain. It is computed from the bytes, except for a redacted event, which stores it.
  package var hash: Digest { isRedacted ? Digest(unchecked: covered) : SHA256.digest(covered) }

  /// The object that the event is about. `nil` if there is none, or if the map does not know the entity's number.
  package func object(_ map: SchemaMap) -> AnyObjectID? {
    guard let change, let name = map.name(number: change.object.entity) else { return nil }
    return AnyObjectID(name, change.object.uuid)
  }

  /// The change of an object.
  ///
  /// - Throws: If the event is not about an object, or if all of it was erased.
  func requireChange() throws(ReplayError) -> Change {
    if let change { return change }
    throw kind == nil ? .redacted(event: index) : .malformed(MalformedBytes("an object's event", at: 0))
  }

  /// Reads the part after the kind, and the object if there is one.
  var payload: ByteReader {
    get throws(MalformedBytes) {
      var reader = ByteReader(body)
      _ = try reader.byte("an event's kind")
      if change == nil { return reader }
      _ = try reader.number("an entity's number")
      _ = try reader.uuid("an object's UUID")
      return reader
    }
  }

  /// The object that the ID of a merged object refers to after this event.
  package func winner() throws(MalformedBytes) -> UniqueID? {
    guard kind == .mergedInto else { return nil }
    var reader = try payload
    return try reader.uuid("an object's UUID")
  }

  package func edge() throws(MalformedBytes) -> EdgeChange? {
    guard let change, kind == .edgeAdded || kind == .edgeRemoved else { return nil }
    var reader = try payload
    let property = try reader.number("a property's number")
    let target = try reader.uuid("an object's UUID")
    let order = [UInt8](try reader.sized("an order key"))
    try reader.expectEnd("the end of an edge")
    return EdgeChange(
      isAdded: kind == .edgeAdded, entity: change.object.entity, source: change.object.uuid, property: property,
      target: target, order: order)
  }

  package func schemaChange() throws(MalformedBytes) -> SchemaChange? {
    guard kind == .schema else { return nil }
    var reader = try payload
    let change = try reader.schemaChange()
    try reader.expectEnd("the end of a change of the schema")
    return change
  }

  package func compaction() throws(MalformedBytes) -> CompactionRecord? {
    guard kind == .compaction else { return nil }
    var reader = try payload
    let record = try reader.compaction()
    try reader.expectEnd("the end of a compaction")
    return record
  }
}

/// Iterates over the events of a frame.
package struct LogEvents {
  private var reader: ByteReader
  private var pointers: ByteReader
  private let position: Position
  private let count: Int
  private var index = 0

  init(_ frame: LogFrame) {
    reader = ByteReader(UnsafeRawBufferPointer(rebasing: frame.bytes[..<frame.eventBytes.upperBound]))
    reader.offset = frame.eventBytes.lowerBound
    pointers = ByteReader(frame.bytes)
    pointers.offset = frame.eventBytes.upperBound
    position = frame.position
    count = frame.eventCount
  }

  /// The next event. `nil` after the last.
  package mutating func next() throws(MalformedBytes) -> LogEvent? {
    guard index < count else {
      try reader.expectEnd("the end of the events")
      return nil
    }
    let event = try LogEvent(&reader, index: index, try pointers.pointers(from: position))
    index += 1
    return event
  }

  /// All remaining events.
  package consuming func all() throws(MalformedBytes) -> [LogEvent] {
    var events: [LogEvent] = []
    events.reserveCapacity(count - index)
    while let event = try next() { events.append(event) }
    return events
  }
}
