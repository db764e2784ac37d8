import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Removes past values of some objects from frames, so that replaying the log still leads to the records at the head.
/// For each property, only the last change keeps a value: the present one.
///
/// Each frame is read twice. ``look(at:)`` finds the last changes, and ``redacted(_:)`` removes the values before them.
struct LogRedactor {
  private struct Target {
    /// The numbers of the properties. `nil` for all.
    let properties: Set<UInt32>?
    /// The fields of the record at the head. `nil` if the object was deleted.
    let head: [UInt32: [UInt8]]?
    /// The last transaction that changed a property, in the object's present life.
    var last: [UInt32: Position] = [:]
    /// The properties that had a value before the log began.
    var base: Set<UInt32> = []
    /// The properties that events of the log have mentioned.
    var told: Set<UInt32> = []
    /// The properties with an erased value, as far as the log has been replayed.
    var erased: Set<UInt32> = []
    var isInLog = false
    /// Whether the object was inserted by an event of the log, as far as it has been read.
    var isBorn = false

    /// Called when an event mentions a property. At the first mention, the property had a value before the log began,
    /// unless the event shows that it had none, or the event inserted the object.
    mutating func tellBase(_ number: UInt32) {
      if told.insert(number).inserted, !isBorn { base.insert(number) }
    }

    /// Values from before the beginning of the log are erased from the first event on.
    mutating func begin() { erased = base.filter(covers) }

    func covers(_ property: UInt32) -> Bool { properties?.contains(property) ?? true }
    func keeps(_ property: UInt32, at position: Position) -> Bool { head != nil && last[property] == position }
  }

  private var targets: [ObjectAddress: Target] = [:]
  private(set) var transactions = 0

  /// - Parameter record: The record at the head. `nil` if the object was deleted.
  mutating func add(
    _ address: ObjectAddress, _ properties: Set<UInt32>?, record: RecordReader?
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

  func covers(_ object: ObjectAddress) -> Bool { targets[object] != nil }

  /// The objects that no transaction mentions and that do not exist. An object that exists was saved before the log
  /// began.
  var unknown: [ObjectAddress] { targets.filter { !$0.value.isInLog && $0.value.head == nil }.map(\.key) }

  /// The attributes, of these, whose present values may have been computed from values to erase: their object has
  /// changed since they last did.
  func outdated(_ attributes: Set<UInt32>, except derived: Set<UInt32>) -> Set<UInt32> {
    var outdated: Set<UInt32> = []
    for target in targets.values {
      guard let head = target.head else { continue }
      let changed = target.last.filter { target.covers($0.key) && !derived.contains($0.key) }.values.max() ?? 0
      for attribute in attributes where head[attribute] != nil && target.last[attribute] ?? 0 < changed {
        outdated.insert(attribute)
      }
    }
    return outdated
  }

  // MARK: The first reading

  mutating func look(at frame: LogFrame) throws(MalformedBytes) {
    var events = frame.events
    while let event = try events.next() {
      guard let change = event.change, var target = targets[change.object] else { continue }
      target.isInLog = true
      if change.kind != .updated { target.last = [:] }
      if change.kind == .inserted { target.isBorn = true }
      var fields = change.fields
      while let (number, field) = try fields.next() {
        if change.kind != .deleted { target.last[number] = frame.position }
        if change.kind == .updated, case .set(let old, _) = field, old.isEmpty { target.told.insert(number) }
        if change.kind != .inserted { target.tellBase(number) }
      }
      if change.kind == .deleted { target.isBorn = true }
      targets[change.object] = target
    }
  }

  // MARK: The second reading

  /// Called between the two readings.
  mutating func begin() {
    for address in targets.keys { targets[address]?.begin() }
  }

  /// The frame without the erased values. `nil` if it has none.
  mutating func redacted(_ frame: LogFrame) throws(MalformedBytes) -> [UInt8]? {
    var residues: [Int: [UInt8]] = [:]
    var keyframes: [Int: [UInt8]] = [:]
    var events = frame.events
    while let event = try events.next() {
      guard let change = event.change, var target = targets[change.object] else { continue }
      let rest = try Self.rest(of: change, at: frame.position, &target)
      targets[change.object] = target
      if let rest { residues[event.index] = Self.residue(of: event, change, rest) }
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

  /// The body of an event with other fields.
  private static func residue(of event: LogEvent, _ change: Change, _ rest: [UInt8]) -> [UInt8] {
    let head = event.body.count - change.payload.count
    return [UInt8](event.body[..<head]) + rest
  }

  /// The fields of a change after redaction. `nil` if nothing changes.
  private static func rest(
    of change: Change, at position: Position, _ target: inout Target
  ) throws(MalformedBytes) -> [UInt8]? {
    switch change.kind {
    case .inserted: try rest(ofInserted: change, at: position, &target)
    case .updated: try rest(ofUpdated: change, at: position, &target)
    case .deleted: try rest(ofDeleted: change, &target)
    }
  }

  private static func rest(
    ofInserted change: Change, at position: Position, _ target: inout Target
  ) throws(MalformedBytes) -> [UInt8]? {
    target.erased = []
    var writer = ByteWriter()
    var cursor = RecordFields.Cursor(RecordFields(change.payload))
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
    ofUpdated change: Change, at position: Position, _ target: inout Target
  ) throws(MalformedBytes) -> [UInt8]? {
    var writer = ByteWriter()
    var isChanged = false
    var fields = change.fields
    while let (number, field) = try fields.next() {
      guard target.covers(number) else {
        writer.field(number, field)
        continue
      }
      if !target.keeps(number, at: position) {
        target.erased.insert(number)
        isChanged = true
        writer.field(number, .redacted)
      } else if target.erased.remove(number) != nil {
        isChanged = true
        writer.fieldHead(number, .set)
        writer.append(ValueTag.redacted.rawValue)
        if let value = target.head?[number] { writer.append(value) } else { writer.valueOrNothing(.noValue) }
      } else {
        writer.field(number, field)
      }
    }
    return isChanged ? writer.bytes : nil
  }

  private static func rest(ofDeleted change: Change, _ target: inout Target) throws(MalformedBytes) -> [UInt8]? {
    // The event must have as many values as the replayed record.
    var values: [UInt32: [UInt8]] = [:]
    for number in target.erased { values[number] = [ValueTag.redacted.rawValue] }
    var isChanged = !values.isEmpty
    var cursor = RecordFields.Cursor(RecordFields(change.payload))
    while let number = try cursor.nextNumber() {
      let value = try cursor.rawValue()
      if target.erased.contains(number) { continue }
      if target.covers(number) { isChanged = true }
      values[number] = [UInt8](value)
    }
    target.erased = []
    guard isChanged else { return nil }
    var writer = ByteWriter()
    for (number, value) in values.sorted(by: { $0.key < $1.key }) {
      writer.varint(UInt64(number))
      writer.append(value)
    }
    return writer.bytes
  }
}

extension LogRedactor {
  mutating func add(
    _ uuid: UniqueID, _ entity: UInt32, _ properties: Set<UInt32>?, _ objects: ObjectTable, _ view: borrowing View
  ) throws(StorageError) {
    let address = ObjectAddress(entity: entity, uuid: uuid)
    let key = ObjectKey(entity: entity, uuid: uuid)
    let record = try objects.bytes(key, copy view)
    try objects.table.parsing(key.bytes, "the stored object \(uuid)") { () throws(MalformedBytes) in
      guard let record else { return try add(address, properties, record: nil) }
      try record.lend { (bytes) throws(MalformedBytes) in
        try add(address, properties, record: RecordReader(bytes))
      }
    }
  }
}
