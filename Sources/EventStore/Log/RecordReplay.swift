import RepriseObjectModel

extension LogEvent {
  /// The record or tombstone after this event, given the one before it (`nil` for none). It works on bytes, so it needs
  /// no model, and its result is byte for byte what the writer stored.
  ///
  /// Throws if event and record do not match in existence, history or old values. An edge's event changes no field. A
  /// value that was erased is one of its own, and matches itself.
  package func replayed(
    on record: UnsafeRawBufferPointer?, at position: Position
  ) throws(ReplayError) -> [UInt8] {
    guard let kind else { throw .redacted(event: index) }
    let before = try ReplayError.wrapping { () throws(MalformedBytes) in try record.map(RecordReader.init(_:)) }
    let expected = before?.pointersOfNext ?? .none
    guard pointers == expected else { throw .otherHistory(uuid, expected: expected, found: pointers) }
    if kind == .inserted {
      guard before?.kind != .object else { throw .presentObject(uuid) }
      return try ReplayError.wrapping { () throws(MalformedBytes) in
        try RecordWriter.inserted(RecordFields(payload), over: before, at: position)
      }
    }
    guard let before, before.kind == .object else { throw .missingObject(uuid) }
    switch kind {
    case .deleted, .mergedInto:
      guard let fields, fields.bytes.isSame(as: before.fields.bytes) else { throw .otherValue(uuid, property: 0) }
      return try ReplayError.wrapping { () throws(MalformedBytes) in
        try RecordWriter.deleted(before, at: position)
      }
    case .updated: return try replayedUpdate(on: before, at: position)
    case .edgeAdded, .edgeRemoved:
      return try ReplayError.wrapping { () throws(MalformedBytes) in try RecordUpdate(before).record(at: position) }
    case .inserted, .schema, .names, .compaction: throw .malformed(MalformedBytes("an object's event", at: 0))
    }
  }

  private func replayedUpdate(on before: RecordReader, at position: Position) throws(ReplayError) -> [UInt8] {
    var update = RecordUpdate(before)
    var changes = changes
    while let (number, change) = try ReplayError.wrapping({ () throws(MalformedBytes) in try changes.next() }) {
      let found = try ReplayError.wrapping { () throws(MalformedBytes) in try before.fields.raw(number) }
      let present = found ?? UnsafeRawBufferPointer(start: nil, count: 0)
      switch change {
      case .redacted: update.add(number, old: present) { $0.append(ValueTag.redacted.rawValue) }
      case .set(let old, let new):
        guard present.isSame(as: old.asField) else { throw .otherValue(uuid, property: number) }
        update.add(number, old: present) { $0.append(new.asField) }
      case .splice(let splice):
        let tag: ValueTag = splice.isText ? .string : .bytes
        guard present.first == tag.rawValue, let bytes = present.sizedPayload.flatMap(splice.applied(to:)) else {
          throw .otherValue(uuid, property: number)
        }
        update.add(number, old: present) { writer in
          writer.append(tag.rawValue)
          writer.sized(bytes)
        }
      }
    }
    return try ReplayError.wrapping { () throws(MalformedBytes) in try update.record(at: position) }
  }
}

extension ReplayError {
  static func wrapping<Result>(_ body: () throws(MalformedBytes) -> Result) throws(ReplayError) -> Result {
    do throws(MalformedBytes) { return try body() } catch { throw .malformed(error) }
  }
}

extension UnsafeRawBufferPointer {
  /// The value as a record holds it: no bytes for the tag `nothing`.
  var asField: UnsafeRawBufferPointer {
    first == ValueTag.nothing.rawValue ? UnsafeRawBufferPointer(start: nil, count: 0) : self
  }
}
