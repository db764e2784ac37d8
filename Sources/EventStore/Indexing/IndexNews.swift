import RepriseLMDB
import RepriseObjectModel

/// What the log says of an index from a mark on: the events that changed its columns, of which those that are in the
/// index are dropped.
struct IndexNews {
  private let index: StoredIndex
  private let entity: UInt32
  /// Up to where the log is read.
  private(set) var end: LogMark
  private var entries: [Entry] = []
  /// How many of the entries were dropped.
  private var dropped = 0
  /// The places of an object's entries.
  private var places: [UniqueID: [Int]] = [:]

  private struct Entry {
    let uuid: UniqueID
    let mark: LogMark
    let kind: EventKind
    /// Of an update the changes, of a deletion the fields.
    let bytes: [UInt8]
  }

  /// An object's rows before and after what the log says of it.
  struct Change {
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

  /// Reads the log up to a position, or until so many bytes of events have been kept; true if it came there.
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
        guard event.index >= isRead, event.entity == entity else { return }
        guard let kept = try Self.kept(event, index) else { return }
        bytes += kept.count + 64
        found.append(
          Entry(
            uuid: event.uuid, mark: LogMark(position: end.position, events: event.index),
            kind: event.kind ?? .updated, bytes: kept))
      }
      for entry in found {
        places[entry.uuid, default: []].append(entries.count)
        entries.append(entry)
      }
      end = LogMark(position: position)
    }
    return true
  }

  /// What must be known of an event to take it back; `nil` if it changes no column.
  private static func kept(_ event: LogEvent, _ index: StoredIndex) throws(ReplayError) -> [UInt8]? {
    switch event.kind {
    case .inserted: return []
    case .deleted, .mergedInto: return event.fields.map { [UInt8]($0.bytes) } ?? []
    case .updated:
      var changes = event.changes
      while let (number, _) = try ReplayError.wrapping({ () throws(MalformedBytes) in try changes.next() }) {
        if index.columns.contains(where: { $0.number == number }) { return [UInt8](event.payload) }
      }
      return nil
    case nil: throw .redacted(event: event.index)
    case .schema, .names, .edgeAdded, .edgeRemoved, .compaction: return nil
    }
  }

  /// The changes of the next events, at most so many, in no order, each object once. The log
  /// must have been read to the head that the view shows.
  ///
  /// - Parameter last: Only of transactions up to this position.
  mutating func take(
    _ limit: Int, upTo last: Position = Position(.max), _ objects: ObjectTable, _ view: View
  ) throws(StorageError) -> [Change] {
    let first = dropped
    var behind = first
    while behind < entries.count, behind - first < limit, entries[behind].mark.position < last { behind += 1 }
    var changes: [Change] = []
    var seen: Set<UniqueID> = []
    for entry in entries[first..<behind] where seen.insert(entry.uuid).inserted {
      let change = try change(of: entry.uuid, from: first, to: behind, objects, view)
      changes.append(change)
    }
    drop(upTo: behind)
    return changes
  }

  /// Behind what was taken.
  var mark: LogMark { dropped < entries.count ? entries[dropped].mark : end }

  /// Whether any event that was not taken is of a transaction up to this position.
  func hasEvents(upTo position: Position) -> Bool {
    dropped < entries.count && entries[dropped].mark.position < position
  }

  /// What all events after a position come to, without taking them.
  func changes(
    after position: Position, _ objects: ObjectTable, _ view: View
  ) throws(StorageError) -> [Change] {
    var first = entries.count
    while first > dropped, entries[first - 1].mark.position >= position { first -= 1 }
    var changes: [Change] = []
    var seen: Set<UniqueID> = []
    for entry in entries[first...] where seen.insert(entry.uuid).inserted {
      changes.append(try change(of: entry.uuid, from: first, to: entries.count, objects, view))
    }
    return changes
  }

  /// From the columns at the head, by taking back what came later.
  private func change(
    of uuid: UniqueID, from first: Int, to behind: Int, _ objects: ObjectTable, _ view: View
  ) throws(StorageError) -> Change {
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
    return Change(uuid: uuid, before: index.storedRowKeys(columns, uuid), after: index.storedRowKeys(after, uuid))
  }

  private func before(_ entry: Entry, _ columns: [PropertyValue]?) throws(ReplayError) -> [PropertyValue]? {
    switch entry.kind {
    case .inserted: return nil
    case .updated:
      guard var columns else { throw .missingObject(entry.uuid) }
      let index = index
      return try entry.bytes.lend { (bytes) throws(ReplayError) in
        var changes = FieldChanges(bytes)
        while let (number, change) = try ReplayError.wrapping({ () throws(MalformedBytes) in try changes.next() }) {
          for place in index.columns.indices where index.columns[place].number == number {
            switch change {
            case .redacted: throw .redacted(event: entry.mark.events)
            case .set(let old, _):
              if old.first == ValueTag.nothing.rawValue {
                columns[place] = index.columns[place].defaultValue
              } else {
                columns[place] = try ReplayError.wrapping { () throws(MalformedBytes) in try index.value(old) }
              }
            case .splice(let splice):
              guard let value = splice.inverse.applied(to: columns[place]) else {
                throw .otherValue(entry.uuid, property: number)
              }
              columns[place] = value
            }
          }
        }
        return columns
      }
    default:
      let index = index
      return try entry.bytes.lend { (bytes) throws(ReplayError) in
        try ReplayError.wrapping { () throws(MalformedBytes) in try index.values(in: RecordFields(bytes)) }
      }
    }
  }

  private mutating func drop(upTo behind: Int) {
    dropped = behind
    guard behind == entries.count else { return }
    entries.removeAll()
    places.removeAll()
    dropped = 0
  }
}

extension ObjectTable {
  /// The values of an index's columns at the head; `nil` if there is no such object.
  func columns(
    of index: StoredIndex, _ uuid: UniqueID, _ entity: UInt32, _ view: View
  ) throws(StorageError) -> [PropertyValue]? {
    try withRecord(ObjectKey(entity: entity, uuid: uuid), "#\(entity)", view) { (record) throws(MalformedBytes) in
      try index.values(in: record.fields)
    }
  }
}

extension StoredIndex {
  /// What a table has of the keys of an object's rows; none if it does not exist.
  func storedRowKeys(_ columns: [PropertyValue]?, _ uuid: UniqueID) -> [[UInt8]] {
    guard let columns, let kind else { return [] }
    return kind.storedRowKeys(of: columns, uuid)
  }
}
