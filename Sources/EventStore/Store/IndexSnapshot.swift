import RepriseLMDB
import RepriseObjectModel

/// The counted index over an attribute as somebody sees it: at a position of the log, and with the rows of some objects
/// as the overlays above it have them.
///
/// It holds no rows, only what is seen otherwise than at the head: objects that changed since the position, and those
/// in overlays. That lies over the index of the head, and is computed anew when the head has moved. The position must
/// stay pinned, and what the overlays say must stay the same.
package final class IndexSnapshot {
  package enum Failure: Error {
    case store(StoreError)
    /// So much is seen otherwise that rows in memory are cheaper.
    case outgrown
  }

  private let store: Store
  private let map: EntityMap
  private let slot: Int
  private let index: CountedIndex
  private let position: Position
  private let overlaid: () throws(StoreError) -> [UniqueID: [UInt8]?]
  private var overlaidRows: [UniqueID: [UInt8]?]?
  private var latest: Latest?

  private struct Latest {
    let head: Position
    /// The index itself where nothing is seen otherwise: of most lists that is so, and the type of what lies over it
    /// is never made then.
    let rows: any RankedRows
    let differences: Int
  }

  /// So many objects may always be seen otherwise; beyond, a tenth of all.
  private static let leastLimit = 4096

  /// - Parameter overlaid: For each object in an overlay the row that it is seen with; `nil` if it is seen without one.
  ///   Called when it is first needed.
  /// - Returns: `nil` if the attribute has no index.
  package init?(
    _ store: Store, _ map: EntityMap, slot: Int, at position: Position,
    overlaid: @escaping () throws(StoreError) -> [UniqueID: [UInt8]?]
  ) {
    guard map.entity.properties[slot].attribute != nil, let number = map.indexes[slot] else { return nil }
    self.store = store
    self.map = map
    self.slot = slot
    self.position = position
    self.overlaid = overlaid
    index = CountedIndex(number: number, table: store.tables.indexes)
  }

  /// How many rows are seen that the head does not have, or have another place there.
  package func differences() throws(Failure) -> Int { try ask { latest, _ in latest.differences } }

  package func count() throws(Failure) -> Int {
    try ask { (latest, view) throws(StorageError) in try latest.rows.count(in: view) }
  }

  /// How many rows sort before any bytes, and whether they are a row themselves. O(log n).
  package func place(of rowKey: [UInt8]) throws(Failure) -> RowPlace {
    try ask { (latest, view) throws(StorageError) in try latest.rows.place(of: rowKey, in: view) }
  }

  /// How many rows sort before any bytes. O(log n).
  package func rank(of rowKey: [UInt8]) throws(Failure) -> Int { try place(of: rowKey).rank }

  /// The row that has `rank` rows before it; `nil` if there are not so many. O(log n).
  package func rowKey(at rank: Int) throws(Failure) -> [UInt8]? {
    try ask { (latest, view) throws(StorageError) in try latest.rows.rowKey(at: rank, in: view) }
  }

  private func ask<Answer>(
    _ question: (Latest, View) throws(StorageError) -> Answer
  ) throws(Failure) -> Answer {
    let answer: Answer?
    do throws(StoreError) {
      // Reads the store itself, so before the snapshot of this read is taken.
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
    _ overlaid: [UniqueID: [UInt8]?], _ view: View, _ head: Position
  ) throws(StorageError) -> Latest? {
    if let latest, latest.head == head { return latest }
    let changed = try store.changedSince(position, head, map, view)
    var removed: [[UInt8]] = []
    var added: [[UInt8]] = []
    let touched = overlaid.count + changed.count
    if touched > Self.leastLimit, try touched > index.count(in: view) / 10 { return nil }
    let objects = store.objects
    let schema = store.map
    func note(_ uuid: UniqueID, _ now: ContiguousArray<PropertyValue>?, _ seen: [UInt8]?) {
      let now = now.map { RowKey.bytes($0[slot], uuid) }
      if now == seen { return }
      if let now { removed.append(now) }
      if let seen { added.append(seen) }
    }
    for (uuid, seen) in overlaid { note(uuid, try objects.values(of: uuid, map, schema, view), seen) }
    for uuid in changed where overlaid.index(forKey: uuid) == nil {
      let now = try objects.values(of: uuid, map, schema, view)
      let then = try store.rewind(now, AnyObjectID(map.entity.interned, uuid), map, from: head, to: position, view)
      note(uuid, now, then.map { RowKey.bytes($0[slot], uuid) })
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
