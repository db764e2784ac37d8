import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The rows that the histories of indexes must have according to the log, as sums.
///
/// The sums begin with the rows at the head. Then the log is undone, with the changed objects in memory, half a million
/// at a time. So the log is read once for each such slice.
struct HistoryRows {
  private let log: LogTable
  private let objects: ObjectTable
  private let head: Position
  private let sliceSize: Int
  /// By number of the entity.
  private var histories: [UInt32: [History]] = [:]

  /// An index, with the sum of the rows of its history.
  private struct History {
    let index: StoredIndex
    /// The history has the rows of all positions from this one on.
    let first: Position
    var sum = RowSum()
  }

  /// An object as it was before the events that were undone so far, and the sums of its rows in these events. Each
  /// index of its entity has a sum.
  private struct Changed {
    var object: RolledBackObject
    var sums: [RowSum]
  }

  init(_ log: LogTable, _ objects: ObjectTable, head: Position, sliceSize: Int = ObjectFold.size) {
    self.log = log
    self.objects = objects
    self.head = head
    self.sliceSize = max(1, sliceSize)
  }

  var isEmpty: Bool { histories.isEmpty }

  /// Adds an index, to sum its history from a position on. Its rows at the head count as if they had begun there.
  mutating func add(
    _ index: StoredIndex, of entity: UInt32, from first: Position, _ table: Table, _ view: View
  ) throws(StorageError) {
    var history = History(index: index, first: first)
    try CountedIndex(number: index.number, table: table).forEach(at: RawSpan(), in: view) { row in
      history.sum.begin(row, at: first)
      return true
    }
    histories[entity, default: []].append(history)
  }

  /// The sum of an index that was added.
  func sum(of index: UInt32) -> RowSum? {
    for entity in histories.values { for history in entity where history.index.number == index { return history.sum } }
    return nil
  }

  /// Undoes the log. If it cannot be undone, the sums are wrong, and other parts of a verification report the reason.
  mutating func undo(_ view: View) throws(StorageError) {
    var rest = ObjectFold.all
    repeat {
      let end = try undo(rest, view)
      rest = end..<ObjectFold.all.upperBound
    } while !rest.isEmpty
  }

  /// Undoes the events of as many objects as fit. Returns the end of their range.
  private mutating func undo(_ all: Range<ObjectAddress>, _ view: View) throws(StorageError) -> ObjectAddress {
    var range = all
    var changed: [ObjectAddress: Changed] = [:]
    var position = head
    let first = histories.values.joined().map(\.first).min() ?? head
    while position > first {
      try undo(position, range, &changed, view)
      position = position - 1
      guard changed.count > sliceSize + sliceSize / 4 else { continue }
      // The last objects are left for another slice.
      let end = changed.keys.sorted()[sliceSize]
      range = range.lowerBound..<end
      changed = changed.filter { $0.key < end }
    }
    for (address, object) in changed {
      for (place, sum) in object.sums.enumerated() { histories[address.entity]?[place].sum.add(sum) }
    }
    return range.upperBound
  }

  private func undo(
    _ position: Position, _ range: Range<ObjectAddress>, _ changed: inout [ObjectAddress: Changed], _ view: View
  ) throws(StorageError) {
    var failure: StorageError?
    try log.withFrame(position, view, readsNames: false) { (frame) throws(MalformedBytes) in
      for event in try frame.events.all().reversed() {
        guard let address = event.change?.object, let indexes = histories[address.entity], range.contains(address)
        else { continue }
        do throws(StorageError) {
          if changed[address] == nil, let object = try object(address, view) {
            changed[address] = Changed(object: object, sums: indexes.map { _ in RowSum() })
          }
        } catch {
          failure = error
          return
        }
        let after = changed[address]?.object.fields
        do throws(ReplayError) { try changed[address]?.object.rollBack(event, at: position) } catch { continue }
        guard var object = changed[address] else { continue }
        for (place, history) in indexes.enumerated() where history.first < position {
          let (old, new) = (
            try history.index.rowKeys(object.object.fields, address.uuid),
            try history.index.rowKeys(after, address.uuid)
          )
          if old == new { continue }
          // The rows at the head include the new ones, and not the old ones.
          for key in new {
            object.sums[place].begin(key.span.bytes, at: position)
            object.sums[place].end(key.span.bytes, at: history.first)
          }
          for key in old {
            object.sums[place].end(key.span.bytes, at: position)
            object.sums[place].begin(key.span.bytes, at: history.first)
          }
        }
        changed[address] = object
      }
    }
    if let failure { throw failure }
  }

  private func object(_ address: ObjectAddress, _ view: View) throws(StorageError) -> RolledBackObject? {
    for key in [
      ObjectKey(entity: address.entity, uuid: address.uuid), ObjectKey(tombstoneOf: address.entity, uuid: address.uuid),
    ] {
      let found = try objects.withRecord(key, "#\(address.entity)", view) { RolledBackObject($0) }
      if let found { return found }
    }
    return nil
  }
}

extension StoredIndex {
  /// The keys of the rows of an object with these fields. None for `nil`, which is no object.
  fileprivate func rowKeys(_ fields: [UInt8]?, _ uuid: UniqueID) throws(MalformedBytes) -> [[UInt8]] {
    guard let fields else { return [] }
    return try fields.lend { (bytes) throws(MalformedBytes) in
      storedRowKeys(try values(in: RecordFields(bytes)), uuid)
    }
  }
}
