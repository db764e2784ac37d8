import RepriseLMDB
import RepriseObjectModel

/// A counted index as a projection sees it: at a position of the log, with the rows of some objects
/// as the overlays above have them.
///
/// It holds no rows, only the differences from the head: objects changed since the position, and objects in overlays.
/// They are layered over the head's index, and recomputed once the head has moved. The position must stay pinned, and
/// the overlays must not change.
package final class IndexSnapshot {
  package enum Failure: Error {
    case store(StoreError)
    /// There are so many differences that rows in memory are cheaper.
    case outgrown
  }

  private let store: Store
  private let map: EntityMap
  private let slot: Int
  private let index: CountedIndex
  private let position: Position
  private let overlaid: () throws(StoreError) -> [UniqueID: [[UInt8]]]
  private var overlaidRows: [UniqueID: [[UInt8]]]?
  private var latest: Latest?

  private struct Latest {
    let head: Position
    /// The index itself if there are no differences, as for most lists: the type of the layered rows need not be
    /// instantiated then.
    let rows: any RankedRows
    let differences: Int
  }

  /// Up to this many objects may always differ; beyond it, up to a tenth of all rows.
  private static let leastLimit = 10_000

  /// - Parameter overlaid: The rows of each object in an overlay. Called on first use.
  /// - Returns: `nil` if there is no counted index in the slot.
  package init?(
    _ store: Store, _ map: EntityMap, slot: Int, at position: Position,
    overlaid: @escaping () throws(StoreError) -> [UniqueID: [[UInt8]]]
  ) {
    guard map.entity.properties[slot].relationship == nil, let number = map.indexes[slot] else { return nil }
    self.store = store
    self.map = map
    self.slot = slot
    self.position = position
    self.overlaid = overlaid
    index = CountedIndex(number: number, table: store.tables.indexes)
  }

  /// The number of rows added to the head's index or removed from it, whichever is greater.
  package func differences() throws(Failure) -> Int { try ask { latest, _ in latest.differences } }

  package func count() throws(Failure) -> Int {
    try ask { (latest, view) throws(StorageError) in try latest.rows.count(in: view) }
  }

  /// The number of rows that sort before these bytes, and whether the bytes are a row themselves. O(log n).
  package func place(of rowKey: [UInt8]) throws(Failure) -> RowPlace {
    try ask { (latest, view) throws(StorageError) in try latest.rows.place(of: rowKey, in: view) }
  }

  /// The number of rows that sort before these bytes. O(log n).
  package func rank(of rowKey: [UInt8]) throws(Failure) -> Int { try place(of: rowKey).rank }

  /// The ranks of the rows in a range. O(log n).
  package func ranks(in range: KeyRange) throws(Failure) -> Range<Int> {
    let lower = range.lower.isEmpty ? 0 : try rank(of: range.lower)
    let upper = if let bound = range.upper { try rank(of: bound) } else { try count() }
    return lower..<max(lower, upper)
  }

  /// The row with `rank` rows before it; `nil` if there are too few. O(log n).
  package func rowKey(at rank: Int) throws(Failure) -> [UInt8]? {
    try ask { (latest, view) throws(StorageError) in try latest.rows.rowKey(at: rank, in: view) }
  }

  /// Rows from a rank on, at most so many. O(log n), and a step for each.
  package func rowKeys(from rank: Int, limit: Int, _ direction: RowDirection) throws(Failure) -> [[UInt8]] {
    try ask { (latest, view) throws(StorageError) in
      var keys: [[UInt8]] = []
      try latest.rows.forEach(from: rank, limit: limit, direction, in: view) { key in
        keys.append([UInt8](copying: key))
        return true
      }
      return keys
    }
  }

  private func ask<Answer>(
    _ question: (Latest, View) throws(StorageError) -> Answer
  ) throws(Failure) -> Answer {
    let answer: Answer?
    do throws(StoreError) {
      // Called before the read transaction begins, because it reads the store itself.
      let overlaid = if let overlaidRows { overlaidRows } else { try self.overlaid() }
      overlaidRows = overlaid
      answer = try store.read { (view, head) throws(StorageError) in
        guard let latest = try latest(overlaid, view, head) else { return nil }
        return try question(latest, view)
      }
    } catch {
      throw .store(error)
    }
    guard let answer else { throw .outgrown }
    return answer
  }

  private func latest(
    _ overlaid: [UniqueID: [[UInt8]]], _ view: View, _ head: Position
  ) throws(StorageError) -> Latest? {
    if let latest, latest.head == head { return latest }
    let changed = try store.changedSince(position, head, map, view)
    var removed: [[UInt8]] = []
    var added: [[UInt8]] = []
    // What others changed may be among what is overlaid.
    let touched = changed.reduce(into: overlaid.count) { if overlaid.index(forKey: $1) == nil { $0 += 1 } }
    if touched > Self.leastLimit, try touched > index.count(in: view) / 10 { return nil }
    let objects = store.objects
    let schema = store.map
    func rows(_ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>?) -> [[UInt8]] {
      values.map { map.entity.rowKeys(slot, $0, uuid) } ?? []
    }
    func note(_ uuid: UniqueID, _ now: ContiguousArray<PropertyValue>?, _ seen: [[UInt8]]) {
      let now = rows(uuid, now)
      if now == seen { return }
      removed += now
      added += seen
    }
    for (uuid, seen) in overlaid { note(uuid, try objects.values(of: uuid, map, schema, view), seen) }
    for uuid in changed where overlaid.index(forKey: uuid) == nil {
      let now = try objects.values(of: uuid, map, schema, view)
      let then = try store.rewind(now, AnyObjectID(map.entity.interned, uuid), map, from: head, to: position, view)
      note(uuid, now, rows(uuid, then))
    }
    if removed.isEmpty, added.isEmpty { return keep(Latest(head: head, rows: index, differences: 0)) }
    let delta = try IndexDelta(over: index, of: index, removed: removed, added: added, in: view)
    return keep(Latest(head: head, rows: delta, differences: max(delta.added.count, delta.removed.count)))
  }

  private func keep(_ latest: Latest) -> Latest {
    self.latest = latest
    return latest
  }
}
