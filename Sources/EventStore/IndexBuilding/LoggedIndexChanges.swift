import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The changes in the log to an index's columns from a mark on. Changes that are already in the index are removed.
struct LoggedIndexChanges {
  private let index: StoredIndex
  private let entity: UInt32
  /// The end of the part of the log that is read.
  private(set) var end: LogMark
  private var entries: [Entry] = []
  /// The number of removed entries.
  private var dropped = 0
  /// The places of an object's entries.
  private var places: [UniqueID: [Int]] = [:]

  private struct Entry {
    let uuid: UniqueID
    let mark: LogMark
    /// The body of the ``Change``. For an insertion, only its head.
    let body: [UInt8]
  }

  /// An object's rows before and after its changes in the log.
  struct RowChange {
    let uuid: UniqueID
    let before: [[UInt8]]
    let after: [[UInt8]]
  }

  init(_ index: StoredIndex, of entity: UInt32, from mark: LogMark) {
    self.index = index
    self.entity = entity
    end = mark
  }

  var count: Int { entries.count - dropped }

  /// Reads the log up to a position, or until `limit` bytes of events are read. True if it reached the position.
  mutating func read(
    _ log: LogTable, upTo head: Position, limit: Int = 64 << 20, _ view: View
  ) throws(StorageError) -> Bool {
    var bytes = 0
    while end.position < head {
      if bytes > limit { return false }
      let position = end.position + 1
      let isRead = end.events
      var found: [Entry] = []
      try log.forEachEvent(of: position, view) { event throws(ReplayError) in
        guard event.index >= isRead, let change = event.change, change.object.entity == entity,
          let body = try Self.kept(change, index)
        else { return }
        bytes += body.count + 64
        found.append(
          Entry(
            uuid: change.object.uuid, mark: LogMark(position: end.position, events: event.index), body: body))
      }
      for entry in found {
        places[entry.uuid, default: []].append(entries.count)
        entries.append(entry)
      }
      end = LogMark(position: position)
    }
    return true
  }

  /// The part of a change that is needed to undo it. `nil` if it changes no column.
  private static func kept(_ change: Change, _ index: StoredIndex) throws(ReplayError) -> [UInt8]? {
    if change.kind == .updated {
      let isTouched = try ReplayError.wrapping { () throws(MalformedBytes) in try touches(change, index) }
      if !isTouched { return nil }
    }
    let payload = change.kind == .inserted ? .noValue : change.payload
    var writer = ByteWriter(reserving: 24 + payload.count)
    writer.change(change.kind, change.object)
    writer.append(payload)
    return writer.bytes
  }

  private static func touches(_ change: Change, _ index: StoredIndex) throws(MalformedBytes) -> Bool {
    var fields = change.fields
    while let (number, _) = try fields.next() {
      if index.columns.contains(where: { $0.number == number }) { return true }
    }
    return false
  }

  /// The changes of at most `limit` next events, in no order, each object once. The log must have been read to the head
  /// that the view shows.
  ///
  /// - Parameter last: Events of later transactions are not taken.
  mutating func take(
    _ limit: Int, upTo last: Position = Position(.max), _ objects: ObjectTable, _ view: View
  ) throws(StorageError) -> [RowChange] {
    let first = dropped
    var behind = first
    while behind < entries.count, behind - first < limit, entries[behind].mark.position < last { behind += 1 }
    var changes: [RowChange] = []
    var seen: Set<UniqueID> = []
    for entry in entries[first..<behind] where seen.insert(entry.uuid).inserted {
      let change = try change(of: entry.uuid, from: first, to: behind, objects, view)
      changes.append(change)
    }
    drop(upTo: behind)
    return changes
  }

  /// The mark after the taken changes.
  var mark: LogMark { dropped < entries.count ? entries[dropped].mark : end }

  /// Whether any event that was not taken belongs to a transaction up to this position.
  func hasEvents(upTo position: Position) -> Bool {
    dropped < entries.count && entries[dropped].mark.position < position
  }

  /// The net effect of all events after a position. Takes none of them.
  func changes(
    after position: Position, _ objects: ObjectTable, _ view: View
  ) throws(StorageError) -> [RowChange] {
    var first = entries.count
    while first > dropped, entries[first - 1].mark.position >= position { first -= 1 }
    var changes: [RowChange] = []
    var seen: Set<UniqueID> = []
    for entry in entries[first...] where seen.insert(entry.uuid).inserted {
      changes.append(try change(of: entry.uuid, from: first, to: entries.count, objects, view))
    }
    return changes
  }

  /// The net change of an object, computed from the columns at the head by undoing the later changes.
  private func change(
    of uuid: UniqueID, from first: Int, to behind: Int, _ objects: ObjectTable, _ view: View
  ) throws(StorageError) -> RowChange {
    var columns = try objects.columns(of: index, uuid, entity, view)
    var after: [PropertyValue]?
    var isAfterKnown = false
    for place in (places[uuid] ?? []).reversed() {
      if place < first { break }
      if place < behind, !isAfterKnown {
        after = columns
        isAfterKnown = true
      }
      do throws(ReplayError) {
        columns = try before(entries[place], columns)
      } catch {
        let position = entries[place].mark.position + 1
        throw objects.rows.table.damaged(
          ObjectKey(entity: entity, uuid: uuid).bytes, "transaction \(position), object \(uuid): \(error)")
      }
    }
    if !isAfterKnown { after = columns }
    return RowChange(uuid: uuid, before: index.storedRowKeys(columns, uuid), after: index.storedRowKeys(after, uuid))
  }

  private func before(_ entry: Entry, _ columns: [PropertyValue]?) throws(ReplayError) -> [PropertyValue]? {
    var target = ColumnValues(columns, index, entry.uuid)
    try entry.body.lend { (body) throws(ReplayError) in
      let change = try ReplayError.wrapping { () throws(MalformedBytes) in try Change(body) }
      try change.inverse.applied(to: &target)
    }
    return target.values
  }

  private mutating func drop(upTo behind: Int) {
    dropped = behind
    guard behind == entries.count else { return }
    entries.removeAll()
    places.removeAll()
    dropped = 0
  }
}

/// The values of an index's columns in an object.
private struct ColumnValues: ChangeTarget {
  private(set) var values: [PropertyValue]?
  private let index: StoredIndex
  private let object: UniqueID

  init(_ values: [PropertyValue]?, _ index: StoredIndex, _ object: UniqueID) {
    self.values = values
    self.index = index
    self.object = object
  }

  var exists: Bool { values != nil }

  mutating func insert(_ change: Change) throws(ReplayError) {
    let index = index
    values = try ReplayError.wrapping { () throws(MalformedBytes) in
      try index.values(in: RecordFields(change.payload))
    }
  }

  mutating func delete(_ change: Change) { values = nil }

  mutating func set(
    _ number: UInt32, from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
  ) throws(ReplayError) {
    for (place, column) in index.columns.enumerated() where column.number == number {
      let index = index
      values?[place] =
        try new.isEmpty
        ? column.defaultValue
        : ReplayError.wrapping { () throws(MalformedBytes) in try index.value(new) }
    }
  }

  mutating func splice(_ number: UInt32, _ splice: Splice) throws(ReplayError) {
    for place in index.columns.indices where index.columns[place].number == number {
      guard let value = values.flatMap({ splice.applied(to: $0[place]) }) else {
        throw .otherValue(object, property: number)
      }
      values?[place] = value
    }
  }

  mutating func erase(_ number: UInt32) throws(ReplayError) {
    guard index.columns.contains(where: { $0.number == number }) else { return }
    throw .otherValue(object, property: number)
  }
}

extension ObjectTable {
  /// The values of an index's columns at the head. `nil` if there is no such object.
  func columns(
    of index: StoredIndex, _ uuid: UniqueID, _ entity: UInt32, _ view: View
  ) throws(StorageError) -> [PropertyValue]? {
    try withRecord(ObjectKey(entity: entity, uuid: uuid), "#\(entity)", view) { (record) throws(MalformedBytes) in
      try index.values(in: record.fields)
    }
  }
}

extension StoredIndex {
  /// The stored parts of the keys of an object's rows. None if the object does not exist.
  func storedRowKeys(_ columns: [PropertyValue]?, _ uuid: UniqueID) -> [[UInt8]] {
    guard let columns, let kind else { return [] }
    return kind.storedRowKeys(of: columns, uuid)
  }
}
