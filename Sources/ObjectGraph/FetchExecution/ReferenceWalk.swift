import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The objects of a fetch in the order of an attribute behind a to-one. It walks the objects at the other end in the
/// order of their index, and for each of them the objects that refer to it. Objects that differ from the head, on
/// either side, come at their place in this projection.
///
/// Costs a step for each object at the other end, even without references to it, and a look-up for the objects that
/// refer.
struct ReferenceWalk {
  /// Consecutive objects of the walk that have the same value of the attribute.
  struct Group {
    /// The common prefix of the objects' sort keys.
    let sortKey: [UInt8]
    /// The stored objects. The receiver must skip the objects in ``ReferenceWalk/hidden``.
    let stored: ScanPath
    /// The objects that differ from the head.
    let pending: [UniqueID]

    /// Whether the first sort value alone shows that the objects sort after the object with this sort key.
    func isBehind(_ bound: [UInt8]) -> Bool {
      for (mine, other) in zip(sortKey, bound) where mine != other { return mine > other }
      return false
    }
  }

  enum Ending {
    case whole
    /// `body` returned false.
    case stopped
    /// The head moved on, or the index does not have the objects that come next.
    case givenUp
  }

  private let order: CompiledFetch.ReferenceOrder
  private let map: EntityMap
  private let targetMap: EntityMap
  private let projection: Projection
  private let rows: PendingRows
  private let targetRows: PendingRows
  /// The position of the head for reading the indexes.
  let head: Position
  /// The fetched objects that differ from the head.
  var hidden: Set<UniqueID> { rows.uuids }

  /// How many rows of the target's index are read in one transaction.
  private static let portion = 64

  /// `nil` if the head moves on.
  init?(
    _ order: CompiledFetch.ReferenceOrder, _ map: EntityMap, _ projection: Projection
  ) throws(StoreError) {
    guard let targetMap = projection.store.map.map(order.target.interned) else { return nil }
    let differing = try projection.headDifferences(map, order: .slot(order.index))
    let targets = try projection.headDifferences(targetMap, order: .slot(order.targetIndex))
    guard differing.head == targets.head else { return nil }
    self.order = order
    self.map = map
    self.targetMap = targetMap
    self.projection = projection
    (rows, targetRows, head) = (differing.rows, targets.rows, differing.head)
  }

  /// Passes the groups on, in order, until `body` returns false.
  func forEachGroup(_ body: (Group) throws(StoreError) -> Bool) throws(StoreError) -> Ending {
    if order.isNilFirst {
      let ending = try forEachGroupOfNil(body)
      guard ending == .whole else { return ending }
    }
    let values = KeyRanges.intersection([order.ranges, KeyRanges(.nils).complement])
    let ending = try forEachTarget(in: values, body)
    guard ending == .whole, !order.isNilFirst else { return ending }
    return try forEachGroupOfNil(body)
  }

  // MARK: Objects that read a value

  /// The groups of the targets in some ranges of their index.
  private func forEachTarget(
    in ranges: KeyRanges, _ body: (Group) throws(StoreError) -> Bool
  ) throws(StoreError) -> Ending {
    let pending = targetRows.keys(.slot(order.targetIndex)) ?? []
    for range in order.isAscending ? ranges.ranges : ranges.ranges.reversed() {
      let places = PendingRows.places(in: range, pending)
      var waiting = order.isAscending ? Array(pending[places]) : pending[places].reversed()
      waiting.reverse()
      var rest = range
      while true {
        let keys = try projection.store.indexes.rowKeys(
          targetMap, slot: order.targetIndex, in: rest, isAscending: order.isAscending, limit: Self.portion, at: head)
        guard let keys else { return .givenUp }
        for key in keys {
          guard let uuid = RowKey.uuid(key), !targetRows.uuids.contains(uuid) else { continue }
          while let next = waiting.last, next.precedes(key) == order.isAscending {
            waiting.removeLast()
            guard try passOn(next, body) else { return .stopped }
          }
          guard try passOn(key, body) else { return .stopped }
        }
        guard keys.count == Self.portion, let last = keys.last else { break }
        if order.isAscending { rest.lower = last + [0] } else { rest.upper = last }
      }
      while let next = waiting.popLast() { guard try passOn(next, body) else { return .stopped } }
    }
    return .whole
  }

  private func passOn(_ key: [UInt8], _ body: (Group) throws(StoreError) -> Bool) throws(StoreError) -> Bool {
    guard let target = RowKey.uuid(key) else { return true }
    let referring = referring(to: target)
    return try body(
      Group(
        sortKey: sortKey(Array(key.dropLast(16))), stored: try stored(in: referring, target),
        pending: rows.objects(in: referring, of: .slot(order.index))))
  }

  /// The bytes of a value as they are in a sort key of the fetch.
  private func sortKey(_ value: [UInt8]) -> [UInt8] {
    let isNil = value.first == OrderKey.Tag.null.rawValue
    let key = isNil && order.isNilGreatest ? [.max] : value
    return order.isAscending ? key : key.map { ~$0 }
  }

  /// The range of index rows whose objects refer to `target`.
  private func referring(to target: UniqueID) -> KeyRange {
    KeyRange(beginningWith: OrderKey.bytes(of: .reference(AnyObjectID(order.target.interned, target))))
  }

  private func stored(in range: KeyRange, _ target: UniqueID) throws(StoreError) -> ScanPath {
    let isAscending = order.isRestAscending ?? true
    if order.isCounted { return .rows(slot: order.index, [range], isAscending: isAscending) }
    let uuids = try projection.store.indexes.objects(map, slot: order.slot, leadingTo: target)
    return .objects(isAscending ? uuids : uuids.reversed())
  }

  // MARK: Objects that read nil

  /// The groups of objects that refer to an object without a value, to a missing object, or to no object.
  private func forEachGroupOfNil(_ body: (Group) throws(StoreError) -> Bool) throws(StoreError) -> Ending {
    if order.excludesNil { return .whole }
    let sortKey = sortKey([OrderKey.Tag.null.rawValue])
    guard order.isCounted else {
      let isWanted = try body(Group(sortKey: sortKey, stored: .objects([]), pending: []))
      return isWanted ? .givenUp : .stopped
    }
    let ending = try forEachTarget(in: KeyRanges(.nils), body)
    guard ending == .whole else { return ending }
    // At the head, no reference leads to a deleted object. But an overlay may have deleted the target.
    for target in targetRows.uuids where !targetRows.hasKeys(target, .slot(order.targetIndex)) {
      let stored = try stored(in: referring(to: target), target)
      guard try body(Group(sortKey: sortKey, stored: stored, pending: [])) else { return .stopped }
    }
    for range in try pendingWithoutTarget() {
      let pending = rows.objects(in: range, of: .slot(order.index))
      guard try body(Group(sortKey: sortKey, stored: .objects([]), pending: pending)) else { return .stopped }
    }
    let stored = ScanPath.rows(slot: order.index, [.nils], isAscending: order.isRestAscending ?? true)
    let pending = rows.objects(in: .nils, of: .slot(order.index))
    return try body(Group(sortKey: sortKey, stored: stored, pending: pending)) ? .whole : .stopped
  }

  /// The ranges of rows of differing objects whose referenced object does not exist in this projection. Costs a look-up
  /// for each referenced object.
  private func pendingWithoutTarget() throws(StoreError) -> [KeyRange] {
    let keys = rows.keys(.slot(order.index)) ?? []
    var found: [KeyRange] = []
    var place = PendingRows.place(of: [OrderKey.Tag.null.rawValue + 1], in: keys)
    while place < keys.count {
      guard let target = OrderKey.length(keys[place]).flatMap({ RowKey.uuid(Array(keys[place].prefix($0))) }) else {
        break
      }
      let range = referring(to: target)
      if try projection.read(AnyObjectID(order.target.interned, target), targetMap) == nil { found.append(range) }
      place = range.upper.map { PendingRows.place(of: $0, in: keys) } ?? keys.count
    }
    return found
  }
}
