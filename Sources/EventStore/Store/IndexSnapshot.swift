import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A counted index as a projection sees it: at a position of the log, with the rows that the overlays give some
/// objects.
///
/// It holds no rows, only the differences from the head: objects changed since the position, and objects in overlays.
/// They are layered over the head's index, and recomputed once the head has moved. The position must stay pinned, and
/// the overlays must not change.
///
/// If the index keeps history, and the head is no longer at the position, only the objects in overlays are differences.
/// They are layered over the index as it was at the position, and never recomputed.
package final class IndexSnapshot {
  package enum Failure: Error {
    case store(StoreError)
    /// There are so many differences that rows in memory are cheaper.
    case outgrown

    package static func reading<Result>(_ body: () throws(StoreError) -> Result) throws(Failure) -> Result {
      do throws(StoreError) { return try body() } catch { throw .store(error) }
    }
  }

  private let store: Store
  private let map: EntityMap
  private let slot: Int
  private let index: WholeRows
  private let position: Position
  /// The rows of each object in an overlay.
  private let overlaid: [UniqueID: [[UInt8]]]
  private var latest: Latest?

  fileprivate struct Latest {
    /// The head that the rows belong to. `nil` for rows of the position itself.
    let head: Position?
    /// The index itself if there are no differences, as for most lists. The type of the layered rows is not
    /// instantiated then.
    let rows: any RankedRows
    /// The differences from the index. `nil` if there are none.
    let delta: IndexDelta<WholeRows>?
    var differences: Int { delta.map { max($0.added.count, $0.removed.count) } ?? 0 }
  }

  /// Up to this many objects may always differ. If more differ, they may be up to a tenth of all rows.
  private static let leastLimit = 10_000

  /// - Parameter overlaid: The rows of each object in an overlay.
  /// - Returns: `nil` if there is no counted index in the slot.
  package init?(
    _ store: Store, _ map: EntityMap, slot: Int, at position: Position, overlaid: [UniqueID: [[UInt8]]]
  ) {
    guard Self.isPossible(map, slot: slot), let index = store.indexes.wholeRows(map, slot: slot) else { return nil }
    self.store = store
    self.map = map
    self.slot = slot
    self.position = position
    self.overlaid = overlaid
    self.index = index
  }

  /// Whether there is a counted index in a slot.
  package static func isPossible(_ map: EntityMap, slot: Int) -> Bool {
    map.entity.properties[slot].relationship == nil && map.indexes[slot] != nil
  }

  /// The snapshot with other rows for some objects. The rows are `nil` if the object is no longer in an overlay. Takes
  /// a step for each of the objects, and copies the other differences. If the head is not at the position, the first
  /// question costs as much as with a new snapshot.
  package func replacing(_ rows: [UniqueID: [[UInt8]]?]) throws(StoreError) -> IndexSnapshot? {
    var overlaid = overlaid
    for (uuid, rows) in rows { overlaid[uuid] = rows }
    guard let next = IndexSnapshot(store, map, slot: slot, at: position, overlaid: overlaid) else { return nil }
    guard let latest, latest.head == position, let delta = latest.delta, overlaid.count <= Self.leastLimit else {
      return next
    }
    next.latest = try store.read { (view, head) throws(StorageError) -> Latest? in
      guard head == position else { return nil }
      var (gone, new) = (RowDifferences(), RowDifferences())
      for uuid in rows.keys {
        let now = self.rows(of: uuid, try store.files.objects.values(of: uuid, map, store.map, view))
        if let old = self.overlaid[uuid] { gone.add(from: now, to: old) }
        if let later = overlaid[uuid] { new.add(from: now, to: later) }
      }
      return Latest(head, try delta.replacing(gone, by: new, of: index.index, in: view))
    }
    return next
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

  /// The row with `rank` rows before it. `nil` if there are too few. O(log n).
  package func rowKey(at rank: Int) throws(Failure) -> [UInt8]? {
    try ask { (latest, view) throws(StorageError) in try latest.rows.rowKey(at: rank, in: view) }
  }

  /// At most `limit` rows from a rank on. O(log n), and a step for each row.
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
      answer = try store.read { (view, head) throws(StorageError) in
        guard let latest = try latest(view, head) else { return nil }
        return try question(latest, view)
      }
    } catch {
      throw .store(error)
    }
    guard let answer else { throw .outgrown }
    return answer
  }

  private func rows(of uuid: UniqueID, _ values: ContiguousArray<PropertyValue>?) -> [[UInt8]] {
    values.map { map.entity.rowKeys(slot, $0, uuid) } ?? []
  }

  private func latest(_ view: View, _ head: Position) throws(StorageError) -> Latest? {
    if let latest, latest.head == head || latest.head == nil { return latest }
    if position < head, let past = try store.indexes.pastRows(map, slot: slot, at: position, view) {
      return try latest(over: past, view, head)
    }
    let changed = try store.objects.changedSince(position, head, map, view)
    var differences = RowDifferences()
    // An object in an overlay may have changed in the log, too.
    let touched = changed.reduce(into: overlaid.count) { if overlaid.index(forKey: $1) == nil { $0 += 1 } }
    if touched > Self.leastLimit, try touched > index.count(in: view) / 10 { return nil }
    let objects = store.files.objects
    let schema = store.map
    for (uuid, seen) in overlaid {
      differences.add(from: rows(of: uuid, try objects.values(of: uuid, map, schema, view)), to: seen)
    }
    for uuid in changed where overlaid.index(forKey: uuid) == nil {
      let now = try objects.values(of: uuid, map, schema, view)
      let then = try store.objects.rewind(
        now, AnyObjectID(map.entity.interned, uuid), map, from: head, to: position, view)
      differences.add(from: rows(of: uuid, now), to: rows(of: uuid, then))
    }
    return try latest(over: index, differences, head, view)
  }

  /// The rows at the position, and the rows of objects in overlays.
  private func latest(over past: WholeRows, _ view: View, _ head: Position) throws(StorageError) -> Latest? {
    if overlaid.count > Self.leastLimit, try overlaid.count > past.count(in: view) / 10 { return nil }
    var differences = RowDifferences()
    let objects = store.files.objects.reader(view)
    for (uuid, seen) in overlaid {
      let then = try store.objects.values(of: uuid, map, at: position, head, objects)
      differences.add(from: rows(of: uuid, then), to: seen)
    }
    return try latest(over: past, differences, nil, view)
  }

  private func latest(
    over rows: WholeRows, _ differences: RowDifferences, _ head: Position?, _ view: View
  ) throws(StorageError) -> Latest {
    let latest: Latest
    if differences.removed.isEmpty, differences.added.isEmpty {
      latest = Latest(head: head, rows: rows, delta: nil)
    } else {
      let delta = try IndexDelta(
        over: rows, of: index.index, removed: differences.removed, added: differences.added, in: view)
      latest = Latest(head, delta)
    }
    self.latest = latest
    return latest
  }
}

extension IndexSnapshot.Latest {
  fileprivate init(_ head: Position?, _ delta: IndexDelta<WholeRows>) {
    self.init(head: head, rows: delta, delta: delta)
  }
}
