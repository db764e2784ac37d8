import RepriseObjectModel

extension LogEvent {
  /// The record or tombstone after this event, given the previous one (`nil` for none). The call works on bytes, so it
  /// needs no model. The result equals the stored record byte for byte.
  ///
  /// Throws if event and record do not match in existence, history or old values. An edge's event changes no field. An
  /// erased value is a separate value, and matches itself.
  package func replayed(
    on record: UnsafeRawBufferPointer?, at position: Position
  ) throws(ReplayError) -> [UInt8] {
    let change = try requireChange()
    let before = try ReplayError.wrapping { () throws(MalformedBytes) in try record.map(RecordReader.init(_:)) }
    let expected = before?.pointersOfNext ?? .none
    guard pointers == expected else {
      throw .otherHistory(change.object.uuid, expected: expected, found: pointers)
    }
    var target = ReplayedRecord(change.object.uuid, before, at: position)
    try change.applied(to: &target)
    return try ReplayError.wrapping(target.finished)
  }
}

/// A record that a change is applied to.
private struct ReplayedRecord: ChangeTarget {
  private let object: UniqueID
  /// A tombstone, or the record of an object. `nil` if there is none.
  private let before: RecordReader?
  private let position: Position
  private var update: RecordUpdate?
  private var written: [UInt8] = []

  init(_ object: UniqueID, _ before: RecordReader?, at position: Position) {
    self.object = object
    self.before = before
    self.position = position
    update = before.map { RecordUpdate($0) }
  }

  var exists: Bool { before?.kind == .object }

  func finished() throws(MalformedBytes) -> [UInt8] {
    guard written.isEmpty, let update else { return written }
    return try update.record(at: position)
  }

  mutating func insert(_ change: Change) throws(ReplayError) {
    let (before, position) = (before, position)
    written = try ReplayError.wrapping { () throws(MalformedBytes) in
      try RecordWriter.inserted(RecordFields(change.payload), over: before, at: position)
    }
  }

  mutating func delete(_ change: Change) throws(ReplayError) {
    guard let before, change.payload.isSame(as: before.fields.bytes) else { throw .otherValue(object, property: 0) }
    let position = position
    written = try ReplayError.wrapping { () throws(MalformedBytes) in try RecordWriter.deleted(before, at: position) }
  }

  private func present(_ number: UInt32) throws(ReplayError) -> UnsafeRawBufferPointer {
    let fields = before?.fields
    return try ReplayError.wrapping { () throws(MalformedBytes) in try fields?.raw(number) } ?? .noValue
  }

  mutating func set(
    _ number: UInt32, from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
  ) throws(ReplayError) {
    let present = try present(number)
    guard present.isSame(as: old) else { throw .otherValue(object, property: number) }
    update?.add(number, old: present) { $0.append(new) }
  }

  mutating func splice(_ number: UInt32, _ splice: Splice) throws(ReplayError) {
    let present = try present(number)
    guard let next = splice.applied(toValue: present) else { throw .otherValue(object, property: number) }
    update?.add(number, old: present) { $0.append(next) }
  }

  mutating func erase(_ number: UInt32) throws(ReplayError) {
    let present = try present(number)
    update?.add(number, old: present) { $0.append(ValueTag.redacted.rawValue) }
  }
}
