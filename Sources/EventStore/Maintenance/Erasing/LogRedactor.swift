import RepriseObjectModel

/// Takes past values of some objects out of frames, so that replaying the log still leads to the records at the head:
/// of each property only its last change keeps a value, the one that the object has now.
///
/// The frames are read twice: ``look(at:)`` finds the last changes, ``redacted(_:)`` takes out what was before them.
struct LogRedactor {
  private struct Target {
    /// By number; `nil` for all.
    let properties: Set<UInt32>?
    /// The fields of the record at the head; `nil` if the object was deleted.
    let head: [UInt32: [UInt8]]?
    /// The last transaction that changed a property, in the object's present life.
    var last: [UInt32: Position] = [:]
    /// The properties that had a value before the log began.
    var base: Set<UInt32> = []
    /// The properties that some event of the log has told of.
    var told: Set<UInt32> = []
    /// The properties whose value is an erased one, as far as the log has been replayed.
    var erased: Set<UInt32> = []
    var isInLog = false
    /// Whether the object was inserted by an event of the log, as far as it has been read.
    var isBorn = false

    /// An event tells of a property for the first time: it had a value before the log began, unless the event says that
    /// it had none, or inserted the object.
    mutating func tellBase(_ number: UInt32) {
      if told.insert(number).inserted, !isBorn { base.insert(number) }
    }

    /// What was there before the log began is erased from the first event on.
    mutating func begin() { erased = base.filter(covers) }

    func covers(_ property: UInt32) -> Bool { properties?.contains(property) ?? true }
    func keeps(_ property: UInt32, at position: Position) -> Bool { head != nil && last[property] == position }
  }

  private var targets: [ObjectFold.Address: Target] = [:]
  private(set) var transactions = 0

  /// - Parameter record: The record at the head; `nil` if the object was deleted.
  mutating func add(
    _ address: ObjectFold.Address, _ properties: Set<UInt32>?, record: RecordReader?
  ) throws(MalformedBytes) {
    var properties = properties
    if let others = targets[address] {
      properties = others.properties.flatMap { others in properties.map { others.union($0) } }
    }
    var head: [UInt32: [UInt8]]?
    if let record {
      head = [:]
      var cursor = RecordFields.Cursor(record.fields)
      while let number = try cursor.nextNumber() { head?[number] = [UInt8](try cursor.rawValue()) }
    }
    targets[address] = Target(properties: properties, head: head)
  }

  func covers(_ object: DraftObject) -> Bool {
    targets[ObjectFold.Address(entity: object.entity, uuid: object.uuid)] != nil
  }

  func covers(_ event: LogEvent) -> Bool {
    targets[ObjectFold.Address(entity: event.entity, uuid: event.uuid)] != nil
  }

  /// Those of which no transaction tells, and that are not there. One that is there was saved before the log began.
  var unknown: [ObjectFold.Address] { targets.filter { !$0.value.isInLog && $0.value.head == nil }.map(\.key) }

  // MARK: The first reading

  mutating func look(at frame: LogFrame) throws(MalformedBytes) {
    var events = frame.events
    while let event = try events.next() {
      let address = ObjectFold.Address(entity: event.entity, uuid: event.uuid)
      guard event.entity != 0, targets[address] != nil else { continue }
      targets[address]?.isInLog = true
      switch event.kind {
      case .inserted, .deleted, .mergedInto:
        targets[address]?.last = [:]
        if event.kind != .inserted, let fields = event.fields {
          var cursor = RecordFields.Cursor(fields)
          while let number = try cursor.nextNumber() {
            _ = try cursor.rawValue()
            targets[address]?.tellBase(number)
          }
        }
        targets[address]?.isBorn = true
        guard event.kind == .inserted, let fields = event.fields else { continue }
        var cursor = RecordFields.Cursor(fields)
        while let number = try cursor.nextNumber() {
          _ = try cursor.rawValue()
          targets[address]?.last[number] = frame.position
        }
      case .updated:
        var changes = event.changes
        while let (number, change) = try changes.next() {
          targets[address]?.last[number] = frame.position
          if case .set(let old, _) = change, old.asField.isEmpty { targets[address]?.told.insert(number) }
          targets[address]?.tellBase(number)
        }
      case .edgeAdded, .edgeRemoved, .schema, .names, .compaction, nil: break
      }
    }
  }

  // MARK: The second reading

  /// To be called between the two.
  mutating func begin() {
    for address in targets.keys { targets[address]?.begin() }
  }

  /// The frame without the values; `nil` if it has none.
  mutating func redacted(_ frame: LogFrame) throws(MalformedBytes) -> [UInt8]? {
    var residues: [Int: [UInt8]] = [:]
    var keyframes: [Int: [UInt8]] = [:]
    var events = frame.events
    while let event = try events.next() {
      let address = ObjectFold.Address(entity: event.entity, uuid: event.uuid)
      guard event.entity != 0, var target = targets[address] else { continue }
      let rest = try Self.rest(of: event, at: frame.position, &target)
      targets[address] = target
      if let rest { residues[event.index] = event.residue(rest) }
      if !target.erased.isEmpty, let record = try frame.record(after: event), record.kind == .object {
        keyframes[event.index] = try Self.keyframe(record, without: target.erased)
      }
    }
    if residues.isEmpty, keyframes.isEmpty { return nil }
    transactions += 1
    return try frame.redacting(residues, keyframes: keyframes)
  }

  /// A keyframe with the state that replaying the redacted log leads to.
  private static func keyframe(_ record: RecordReader, without erased: Set<UInt32>) throws(MalformedBytes) -> [UInt8] {
    var values: [UInt32: [UInt8]] = [:]
    var cursor = RecordFields.Cursor(record.fields)
    while let number = try cursor.nextNumber() { values[number] = [UInt8](try cursor.rawValue()) }
    for number in erased { values[number] = [ValueTag.redacted.rawValue] }
    var writer = ByteWriter(reserving: record.bytes.count)
    writer.append(UnsafeRawBufferPointer(rebasing: record.bytes[..<(record.bytes.count - record.fields.bytes.count)]))
    for (number, value) in values.sorted(by: { $0.key < $1.key }) {
      writer.varint(UInt64(number))
      writer.append(value)
    }
    return writer.bytes
  }

  /// What is left of an event's payload; `nil` if all of it.
  private static func rest(
    of event: LogEvent, at position: Position, _ target: inout Target
  ) throws(MalformedBytes) -> [UInt8]? {
    switch event.kind {
    case .inserted: return try rest(ofInserted: event, at: position, &target)
    case .updated: return try rest(ofUpdated: event, at: position, &target)
    case .deleted, .mergedInto: return try rest(ofDeleted: event, &target)
    case .edgeAdded, .edgeRemoved, .schema, .names, .compaction, nil: return nil
    }
  }

  private static func rest(
    ofInserted event: LogEvent, at position: Position, _ target: inout Target
  ) throws(MalformedBytes) -> [UInt8]? {
    target.erased = []
    guard let fields = event.fields else { return nil }
    var writer = ByteWriter()
    var cursor = RecordFields.Cursor(fields)
    while let number = try cursor.nextNumber() {
      let value = try cursor.rawValue()
      writer.varint(UInt64(number))
      if target.covers(number), !target.keeps(number, at: position) {
        target.erased.insert(number)
        writer.append(ValueTag.redacted.rawValue)
      } else {
        writer.append(value)
      }
    }
    return target.erased.isEmpty ? nil : writer.bytes
  }

  private static func rest(
    ofUpdated event: LogEvent, at position: Position, _ target: inout Target
  ) throws(MalformedBytes) -> [UInt8]? {
    var writer = ByteWriter()
    var isChanged = false
    var changes = event.changes
    while let (number, change) = try changes.next() {
      guard target.covers(number) else {
        writer.change(number, change)
        continue
      }
      if !target.keeps(number, at: position) {
        target.erased.insert(number)
        isChanged = true
        writer.change(number, .redacted)
      } else if target.erased.remove(number) != nil {
        isChanged = true
        writer.varint(UInt64(number) << 2 | ChangeForm.set.rawValue)
        writer.append(ValueTag.redacted.rawValue)
        if let value = target.head?[number] { writer.append(value) } else { writer.append(ValueTag.nothing.rawValue) }
      } else {
        writer.change(number, change)
      }
    }
    return isChanged ? writer.bytes : nil
  }

  private static func rest(ofDeleted event: LogEvent, _ target: inout Target) throws(MalformedBytes) -> [UInt8]? {
    guard let fields = event.fields else { return nil }
    // As many as the replayed record has.
    var values: [UInt32: [UInt8]] = [:]
    for number in target.erased { values[number] = [ValueTag.redacted.rawValue] }
    var isChanged = !values.isEmpty
    var cursor = RecordFields.Cursor(fields)
    while let number = try cursor.nextNumber() {
      let value = try cursor.rawValue()
      if target.erased.contains(number) { continue }
      if target.covers(number) { isChanged = true }
      values[number] = [UInt8](value)
    }
    target.erased = []
    guard isChanged else { return nil }
    var writer = ByteWriter()
    if event.kind == .mergedInto { writer.append(UnsafeRawBufferPointer(rebasing: event.payload[..<16])) }
    for (number, value) in values.sorted(by: { $0.key < $1.key }) {
      writer.varint(UInt64(number))
      writer.append(value)
    }
    return writer.bytes
  }
}

extension LogEvent {
  /// The body with another payload.
  fileprivate func residue(_ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(reserving: payload.count + 24)
    if let kind { writer.append(kind.rawValue) }
    writer.varint(UInt64(entity))
    writer.uuid(uuid)
    writer.append(payload)
    return writer.bytes
  }
}

extension ByteWriter {
  /// A change as it was.
  fileprivate mutating func change(_ number: UInt32, _ change: FieldChange) {
    let form: ChangeForm =
      switch change {
      case .set: .set
      case .splice(let splice): splice.isText ? .textSplice : .bytesSplice
      case .redacted: .redacted
      }
    varint(UInt64(number) << 2 | form.rawValue)
    switch change {
    case .set(let old, let new):
      append(old)
      append(new)
    case .splice(let splice): self.splice(splice)
    case .redacted: break
    }
  }
}
