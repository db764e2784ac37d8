import RepriseObjectModel

/// An object before some of its events. The latest event is undone first.
///
/// Events contain the values before and after them. So each event is checked against the state that is left by undoing
/// the later ones. The positions of earlier versions, in the record and in the events, are checked in the same way.
package struct RolledBackObject: ChangeTarget {
  /// The fields of the object. `nil` where the object does not exist.
  package private(set) var fields: [UInt8]?
  /// The values with their tags, by number, while an update is undone.
  private var values: [UInt32: [UInt8]] = [:]
  /// The number of versions that remain, and the position of the last one. 0 if none remains.
  private(set) var place: VersionPlace
  private var uuid = UniqueID.zero
  /// The properties whose values are unknown. They are erased fields.
  private var unknown: Set<UInt32> = []
  /// The expected positions of earlier versions, in descending order.
  private var expected: [VersionPlace] = []

  /// - Parameter record: The record of the object at the head, or its tombstone.
  package init(_ record: RecordReader) {
    fields = record.kind == .object ? [UInt8](record.fields.bytes) : nil
    place = VersionPlace(version: record.version, position: record.position)
    expected = record.header.places.reversed()
  }

  /// Undoes an event, so that this is the object before the event.
  package mutating func rollBack(_ event: LogEvent, at position: Position) throws(ReplayError) {
    let change = try event.requireChange()
    uuid = change.object.uuid
    try rollBackPlace(event, at: position)
    if change.kind == .updated, let fields { values = try Self.values(fields) }
    try change.inverse.applied(to: &self)
    guard change.kind == .updated else { return }
    var writer = ByteWriter(reserving: fields?.count ?? 0)
    for (number, value) in values.heapSorted(by: { $0.key < $1.key }) {
      writer.varint(UInt64(number))
      writer.append(value)
    }
    fields = writer.bytes
  }

  /// Whether the object equals a keyframe.
  package func matches(_ keyframe: RecordReader) throws(ReplayError) -> Bool {
    guard let fields, keyframe.kind == .object, keyframe.version == place.version, keyframe.position == place.position
    else { return false }
    let (mine, theirs) = (try Self.values(fields), try Self.values([UInt8](keyframe.fields.bytes)))
    return Set(mine.keys).union(theirs.keys).allSatisfy { unknown.contains($0) || mine[$0] == theirs[$0] }
  }

  /// Throws unless all positions of earlier versions, in the record and the undone events, are before `floor`.
  package func requireBase(before floor: Position, _ uuid: UniqueID) throws(ReplayError) {
    var last = floor
    for earlier in [place] + expected where earlier.version > 0 {
      guard earlier.position > 0, earlier.position < floor, earlier.position <= last else {
        throw .otherPlace(uuid, version: earlier.version, expected: nil, found: earlier.position)
      }
      last = earlier.position
    }
  }

  // MARK: Versions

  private mutating func rollBackPlace(_ event: LogEvent, at position: Position) throws(ReplayError) {
    let (version, pointers) = (place.version, event.pointers)
    let skipped = version > 0 ? VersionPointers.skipped(from: version) : 0
    let known = expected.first { $0.version == version } ?? place
    guard version > 0, place.position == position, known == place else {
      let named = place.position == position ? known : place
      throw .otherPlace(uuid, version: version, expected: version > 0 ? named.position : nil, found: position)
    }
    guard (pointers.previous == 0) == (version == 1), (pointers.skip == 0) == (skipped == 0),
      pointers.previous < position
    else { throw .impossiblePointers(uuid, version: version, pointers) }
    expected.removeAll { $0.version == version }
    place = VersionPlace(version: version - 1, position: pointers.previous)
    for earlier in [place, VersionPlace(version: skipped, position: pointers.skip)] where earlier.version > 0 {
      try expect(earlier)
    }
  }

  private mutating func expect(_ earlier: VersionPlace) throws(ReplayError) {
    let index = expected.firstIndex { $0.version <= earlier.version } ?? expected.count
    if index < expected.count, expected[index].version == earlier.version {
      guard expected[index] == earlier else {
        throw .otherPlace(
          uuid, version: earlier.version, expected: expected[index].position, found: earlier.position)
      }
    } else {
      expected.insert(earlier, at: index)
    }
  }

  // MARK: Values

  package var exists: Bool { fields != nil }

  package mutating func insert(_ change: Change) { fields = [UInt8](change.payload) }

  package mutating func delete(_ change: Change) throws(ReplayError) {
    let found = fields ?? []
    if unknown.isEmpty {
      guard found.elementsEqual(change.payload) else { throw .otherValue(uuid, property: 0) }
    } else {
      let (mine, theirs) = (try Self.values(found), try Self.values([UInt8](change.payload)))
      for number in Set(mine.keys).union(theirs.keys) where !unknown.contains(number) {
        guard mine[number] == theirs[number] else { throw .otherValue(uuid, property: number) }
      }
    }
    (fields, unknown) = (nil, [])
  }

  package mutating func set(
    _ number: UInt32, from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
  ) throws(ReplayError) {
    guard unknown.remove(number) != nil || values[number, default: []].elementsEqual(old) else {
      throw .otherValue(uuid, property: number)
    }
    values[number] = new.isEmpty ? nil : [UInt8](new)
  }

  package mutating func splice(_ number: UInt32, _ splice: Splice) throws(ReplayError) {
    guard unknown.remove(number) == nil, let found = values[number],
      let next = found.withUnsafeBytes({ splice.applied(toValue: $0) })
    else { throw .otherValue(uuid, property: number) }
    values[number] = next
  }

  package mutating func erase(_ number: UInt32) throws(ReplayError) {
    guard unknown.contains(number) || values[number]?.first == ValueTag.redacted.rawValue else {
      throw .otherValue(uuid, property: number)
    }
    unknown.insert(number)
  }

  /// The values with their tags, by number of the property.
  private static func values(_ fields: [UInt8]) throws(ReplayError) -> [UInt32: [UInt8]] {
    try ReplayError.wrapping { () throws(MalformedBytes) in
      try fields.lend { (bytes) throws(MalformedBytes) in
        var values: [UInt32: [UInt8]] = [:]
        var cursor = RecordFields.Cursor(RecordFields(bytes))
        while let number = try cursor.nextNumber() { values[number] = [UInt8](try cursor.rawValue()) }
        return values
      }
    }
  }
}
