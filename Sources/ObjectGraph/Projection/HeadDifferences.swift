import RepriseEventStore
import RepriseObjectModel

/// The objects that read differently in a context than at the head: objects in overlays, and objects that other
/// contexts changed since the context's position. A fetch reads these from here, and all other objects from the store.
///
/// Each context has one instance. It stays between fetches, and each fetch updates it with the changes since the last
/// one. So a fetch need not read all pending changes of its model, nor all changes of other contexts.
package final class HeadDifferences {
  private var states: [EntityName: State] = [:]
  /// The walks over the log that found the objects of a state. There are none where memory has the changes.
  private var walks: [EntityName: LoggedPast] = [:]

  fileprivate struct State {
    var rows: PendingRows
    /// The state that `rows` belongs to.
    var layers: [OverlayHistory.Stamp] = []
    var position: Position = 0
    var head: Position = 0
    /// The objects that changed after `position`, up to `head`.
    var behind: Set<UniqueID> = []
    /// The requested indexes by slot, and the objects that were touched since.
    var indexes: [Int: (snapshot: IndexSnapshot, touched: Set<UniqueID>)] = [:]

    init(_ entity: Entity) { rows = PendingRows(entity) }
  }

  /// Holds the objects of an entity that differ, and the head that they differ from.
  struct Answer {
    let rows: PendingRows
    let head: Position
  }

  init() {}

  /// The counted index in a slot as a projection of the context has it. `nil` if there is none.
  func index(_ map: EntityMap, slot: Int, _ projection: Projection) throws(StoreError) -> IndexSnapshot? {
    let rows = try of(map, projection, order: .slot(slot)).rows
    let entity = map.entity.interned
    if let known = states[entity]?.indexes[slot] {
      if known.touched.isEmpty { return known.snapshot }
      var later: [UniqueID: [[UInt8]]?] = [:]
      for uuid in known.touched { later.updateValue(rows.keys(of: uuid, .slot(slot)), forKey: uuid) }
      if let snapshot = try known.snapshot.replacing(later) {
        states[entity]?.indexes[slot] = (snapshot, [])
        return snapshot
      }
    }
    let snapshot = IndexSnapshot(
      projection.store, map, slot: slot, at: projection.position, overlaid: rows.keysByObject(.slot(slot)))
    if let snapshot, !states.isEmpty { states[entity]?.indexes[slot] = (snapshot, []) }
    return snapshot
  }

  /// The objects of an entity that differ in a projection of the context, in an order if one is named.
  ///
  /// Takes a step for each change since the last call. The first call for an entity or an order reads all objects that
  /// differ.
  func of(
    _ map: EntityMap, _ projection: Projection, order: PendingRows.Order? = nil
  ) throws(StoreError) -> Answer {
    let entity = map.entity.interned
    let head = try projection.store.refreshedHead()
    if projection.layers.isEmpty, projection.position >= head {
      // Most contexts end here, also at the start of a process. So this must cost almost nothing.
      if !states.isEmpty {
        states[entity] = nil
        walks[entity] = nil
      }
      return Answer(rows: PendingRows(map.entity), head: head)
    }
    let walk = try walk(projection, map, upTo: head)
    var state = states.removeValue(forKey: entity) ?? State(map.entity)
    let stamps = projection.histories.map(\.stamp)
    if state.layers != stamps || state.position != projection.position || state.head != head {
      try state.follow(projection, map, head, walk)
      state.layers = stamps
      state.position = projection.position
      state.head = head
    }
    if let order { try state.rows.prepare(order, projection, map) }
    states[entity] = state
    return Answer(rows: state.rows, head: head)
  }

  /// The walk over the log that knows the objects of an entity at a position. `nil` if no fetch needed one.
  func walk(of entity: EntityName, at position: Position) -> LoggedPast? {
    walks.isEmpty ? nil : walks[entity].flatMap { $0.position == position ? $0 : nil }
  }

  /// The walk up to a head. `nil` if the changes are in memory.
  private func walk(
    _ projection: Projection, _ map: EntityMap, upTo head: Position
  ) throws(StoreError) -> LoggedPast? {
    let entity = map.entity.interned
    let objects = projection.store.objects
    var walk = walk(of: entity, at: projection.position)
    if walk == nil, objects.needsLog(after: projection.position, upTo: head) {
      walk = LoggedPast(of: map, at: projection.position)
    }
    if let walk {
      let known = walk.end
      defer { projection.transactionsRead += known.distance(to: walk.end) }
      try objects.read(walk, upTo: head) { projection.isCancellable && Task.isCancelled }
    }
    walks[entity] = walk
    return walk
  }
}

extension HeadDifferences.State {
  fileprivate mutating func follow(
    _ projection: Projection, _ map: EntityMap, _ head: Position, _ walk: LoggedPast?
  ) throws(StoreError) {
    let isSamePlace = position == projection.position && self.head == head
    let behindNow = isSamePlace ? behind : try behind(projection, map, head, walk)
    defer { behind = behindNow }
    if !isSamePlace { indexes = [:] }
    guard let touched = try touched(projection, map), touched.count <= max(64, rows.uuids.count) else {
      indexes = [:]
      rows = PendingRows(map.entity)
      for uuid in projection.overlaid(map) { rows.insert(uuid) }
      for uuid in behindNow { rows.insert(uuid) }
      return
    }
    for slot in indexes.keys { indexes[slot]?.touched.formUnion(touched) }
    for uuid in touched.union(isSamePlace ? [] : behind.symmetricDifference(behindNow)) {
      if behindNow.contains(uuid) || projection.overlays(AnyObjectID(map.entity.interned, uuid)) {
        try rows.update(uuid, projection, map)
      } else {
        rows.remove(uuid)
      }
    }
  }

  /// The objects that changed after the position. A context of the past stays there while the head moves on.
  private func behind(
    _ projection: Projection, _ map: EntityMap, _ head: Position, _ walk: LoggedPast?
  ) throws(StoreError) -> Set<UniqueID> {
    guard position == projection.position, self.head > position, self.head <= head else {
      if let walk { return Set(walk.uuids) }
      return try projection.store.objects.changed(map, after: projection.position)
    }
    return behind.union(try projection.store.objects.changed(map, after: self.head))
  }

  /// The objects that may have entered or left a layer, or may read differently in it. `nil` if the changes are
  /// unknown.
  private func touched(_ projection: Projection, _ map: EntityMap) throws(StoreError) -> Set<UniqueID>? {
    guard let objects = projection.histories.objects(touchedSince: layers) else { return nil }
    var touched: Set<UniqueID> = []
    for id in objects where id.name == map.entity.interned { touched.insert(id.uuid) }
    if position != projection.position {
      let positions = [position, projection.position].sorted()
      guard let logged = try projection.store.objects.changed(after: positions[0], upTo: positions[1]) else {
        return nil
      }
      for id in logged where id.name == map.entity.interned { touched.insert(id.uuid) }
    }
    return touched
  }
}

extension PendingRows {
  fileprivate mutating func prepare(
    _ order: Order, _ projection: Projection, _ map: EntityMap
  ) throws(StoreError) {
    if keys(order) != nil || uuids.isEmpty { return }
    var keys: [(UniqueID, [[UInt8]])] = []
    try projection.forEachValues(of: uuids, map) { uuid, values in
      if let values { keys.append((uuid, self.keys(of: uuid, values, order))) }
    }
    add(order, keys)
  }

  fileprivate mutating func update(
    _ uuid: UniqueID, _ projection: Projection, _ map: EntityMap
  ) throws(StoreError) {
    insert(uuid)
    let orders = Array(knownOrders)
    if orders.isEmpty { return }
    let values = try projection.read(AnyObjectID(map.entity.interned, uuid), map)
    for order in orders { replace(uuid, order, by: values.map { keys(of: uuid, $0, order) } ?? []) }
  }
}
