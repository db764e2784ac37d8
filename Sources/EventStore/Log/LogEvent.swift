import RepriseObjectModel

/// One event of a frame, in lent bytes.
package struct LogEvent {
  package let index: Int
  /// `nil` for a redacted event with nothing left but its hash.
  package let kind: EventKind?
  /// Whether values were erased. The residue is protected by the frame's checksum, but no longer by the hash chain.
  package let isRedacted: Bool
  /// The object's entity and UUID; 0 and zero if the event is not about an object.
  package let entity: UInt32
  package let uuid: UniqueID
  package let pointers: VersionPointers
  /// The bytes after kind and object.
  package let payload: UnsafeRawBufferPointer
  /// Salt and body; for a redacted event, its hash.
  private let covered: UnsafeRawBufferPointer
  /// All bytes of the event, including its size.
  let raw: UnsafeRawBufferPointer

  static let saltSize = 16

  init(_ reader: inout ByteReader, index: Int, _ pointers: VersionPointers) throws(MalformedBytes) {
    let beginning = reader.offset
    let head = try reader.varint("an event's size")
    guard head >> 1 <= UInt64(reader.remaining) else { throw reader.fail("an event's size") }
    let size = Int(head >> 1)
    isRedacted = head & 1 == 1
    let start = reader.offset
    let body: UnsafeRawBufferPointer
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
    raw = UnsafeRawBufferPointer(rebasing: reader.bytes[beginning..<reader.offset])
    if isRedacted, body.isEmpty {
      (kind, entity, uuid, payload) = (nil, 0, .zero, body)
      return
    }
    var inner = ByteReader(body)
    let tag = try inner.byte("an event's kind")
    guard let kind = EventKind(rawValue: tag) else { throw MalformedBytes("an event's kind", at: start) }
    self.kind = kind
    entity = kind.isOfAnObject ? try inner.number("an entity's number") : 0
    uuid = kind.isOfAnObject ? try inner.uuid("an object's UUID") : .zero
    payload = UnsafeRawBufferPointer(rebasing: body[inner.offset...])
  }

  /// What kind of event begins here, without reading the rest of it; `nil` of a redacted one without a rest, and of one
  /// of no known kind.
  static func kind(at reader: ByteReader) throws(MalformedBytes) -> EventKind? {
    var reader = reader
    let head = try reader.varint("an event's size")
    if head >> 1 == 0 { return nil }
    _ = try reader.take(head & 1 == 1 ? Digest.size : Self.saltSize, "what stands before an event")
    return EventKind(rawValue: try reader.byte("an event's kind"))
  }

  /// The event's hash in the chain. It is computed from the bytes, except for a redacted event, which stores it.
  package var hash: Digest { isRedacted ? Digest(unchecked: covered) : SHA256.digest(covered) }

  /// The object; `nil` for events that are not about one, and if the map does not know the entity's number.
  package func object(_ map: SchemaMap) -> AnyObjectID? {
    guard entity != 0, let name = map.name(number: entity) else { return nil }
    return AnyObjectID(name, uuid)
  }

  /// The fields of an inserted, deleted or merged object.
  package var fields: RecordFields? {
    switch kind {
    case .inserted, .deleted: RecordFields(payload)
    case .mergedInto:
      payload.count < 16 ? nil : RecordFields(UnsafeRawBufferPointer(rebasing: payload[16...]))
    default: nil
    }
  }

  /// The object that a merged one's ID means from now on.
  package func winner() throws(MalformedBytes) -> UniqueID? {
    guard kind == .mergedInto else { return nil }
    var reader = ByteReader(payload)
    return try reader.uuid("an object's UUID")
  }

  /// The changes of an update.
  package var changes: FieldChanges { FieldChanges(kind == .updated ? payload : .init(start: nil, count: 0)) }

  package func edge() throws(MalformedBytes) -> EdgeChange? {
    guard kind == .edgeAdded || kind == .edgeRemoved else { return nil }
    var reader = ByteReader(payload)
    let property = try reader.number("a property's number")
    let target = try reader.uuid("an object's UUID")
    let order = [UInt8](try reader.sized("an order key"))
    try reader.expectEnd("the end of an edge")
    return EdgeChange(
      isAdded: kind == .edgeAdded, entity: entity, source: uuid, property: property, target: target, order: order)
  }

  package func schemaChange() throws(MalformedBytes) -> SchemaChange? {
    guard kind == .schema else { return nil }
    var reader = ByteReader(payload)
    let change = try reader.schemaChange()
    try reader.expectEnd("the end of a change of the schema")
    return change
  }

  package func compaction() throws(MalformedBytes) -> CompactionRecord? {
    guard kind == .compaction else { return nil }
    var reader = ByteReader(payload)
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

  /// The next event; `nil` after the last.
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

/// One property's change in an event. Values are bytes with their tag.
package enum FieldChange {
  case set(old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer)
  case splice(Splice)
  /// The values were erased: only the fact of the change is known.
  case redacted
}

/// Iterates over the changes of an update.
package struct FieldChanges {
  private var reader: ByteReader
  private var last: UInt64 = 0

  init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

  /// The next property's number and change; `nil` after the last.
  package mutating func next() throws(MalformedBytes) -> (number: UInt32, change: FieldChange)? {
    if reader.isAtEnd { return nil }
    let head = try reader.varint("a property's number")
    guard head >> 2 > last, let number = UInt32(exactly: head >> 2), let form = ChangeForm(rawValue: head & 3) else {
      throw reader.fail("a greater number of a property")
    }
    last = head >> 2
    switch form {
    case .set: return (number, .set(old: try value(), new: try value()))
    case .redacted: return (number, .redacted)
    case .textSplice, .bytesSplice: return (number, .splice(try reader.splice(isText: form == .textSplice)))
    }
  }

  private mutating func value() throws(MalformedBytes) -> UnsafeRawBufferPointer {
    let start = reader.offset
    try reader.skipValue()
    return UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset])
  }
}
