import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import Synchronization

/// A context's view at one moment: a position in the log and the overlays above it. It is immutable, so that a list can
/// still read its announced rows.
///
/// It is a class only to record a failure of the store where the caller cannot throw. Each use makes a new instance.
@usableFromInline
package final class Projection: FetchSource {
  package let store: Store
  package let position: Position
  /// The layers with changes, lowest first.
  let layers: [Overlay]
  /// The histories of all layers, also of layers without changes.
  let histories: [OverlayHistory]
  private let differences: HeadDifferences
  /// The first failure.
  package private(set) var failure: StoreError?
  /// Whether a cancelled task ends the reading of the log. The caller must be able to throw.
  var isCancellable = false
  /// Whether an index was read as it was at the position, where the head has gone on.
  var readsHistory = false
  /// The number of transactions that were read to find the objects that differ from the head.
  var transactionsRead = 0
  /// When the use of this projection began, in nanoseconds. 0 without a monitor.
  let began: UInt64
  /// The fetch of this projection, for a monitor.
  var monitored: AnyObject?

  init(store: Store, position: Position, layers: [Overlay], differences: HeadDifferences) {
    self.store = store
    self.position = position
    self.layers = layers.filter { !$0.isEmpty }
    histories = layers.map(\.history)
    self.differences = differences
    began = store.isMonitored.load(ordering: .relaxed) ? MonotonicClock.nanoseconds() : 0
  }

  /// The values of an object. `nil` if it does not exist.
  package func read(_ id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    try layers.reading(of: id, map.entity) { () throws(StoreError) in
      try stored(id, map).map { .present($0) } ?? .absent
    }.values
  }

  /// The values of an object without the overlays. `nil` if it does not exist.
  func stored(_ id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    if let walk = differences.walk(of: id.name, at: position) {
      return try store.objects.values(of: id.uuid, map, walk)
    }
    return try store.objects.values(of: id.uuid, map, at: position)
  }

  /// Calls `body` with the values of objects of one entity. `nil` if they do not exist.
  func forEachValues(
    of uuids: Set<UniqueID>, _ map: EntityMap, _ body: (UniqueID, ContiguousArray<PropertyValue>?) -> Void
  ) throws(StoreError) {
    if layers.isEmpty, let walk = differences.walk(of: map.entity.interned, at: position) {
      return try store.objects.forEachValues(of: uuids, map, walk, body)
    }
    for uuid in uuids { body(uuid, try read(AnyObjectID(map.entity.interned, uuid), map)) }
  }

  /// The number of objects of an entity without the overlays.
  func storedCount(of map: EntityMap) throws(StoreError) -> Int {
    if let walk = differences.walk(of: map.entity.interned, at: position) {
      return try store.objects.count(of: map, walk)
    }
    return try store.objects.count(of: map, at: position)
  }

  package func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>? {
    guard let map = store.map.map(id.name) else { return nil }
    do throws(StoreError) {
      return try read(id, map)
    } catch {
      note(error)
      return nil
    }
  }

  package func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID] {
    guard let map = store.map.map(id.name), let end = store.map.schema.relationship(slot, of: map.entity),
      let members = store.map.map(end.target.interned)
    else { return [] }
    do throws(StoreError) {
      return try self.members(end, members, of: id.uuid).map { AnyObjectID(end.target.interned, $0) }
    } catch {
      note(error)
      return []
    }
  }

  /// The objects that refer to `target`, ascending: the members of the derived end of a relationship.
  func members(
    _ end: ResolvedSchema.Relationship, _ map: EntityMap, of target: UniqueID
  ) throws(StoreError) -> [UniqueID] {
    let slot = end.inverseSlot
    guard layers.isEmpty, position < store.log.head else {
      let stored = try store.objects.sources(map, slot: slot, target: target, at: position)
      return try layers.members(end, of: target, stored: stored) { (id) throws(StoreError) in try read(id, map) }
    }
    if let found = try pastMembers(slot, map, of: target) { return found }
    // The differing objects are determined once, as for fetches, so this works at any position.
    let differing = try headDifferences(map, order: .slot(slot))
    var uuids = try store.objects.sources(map, slot: slot, target: target, at: differing.head)
    if differing.rows.uuids.isEmpty { return uuids }
    uuids.removeAll { differing.rows.uuids.contains($0) }
    // A key has only the UUID of the target, so the entity's name is irrelevant.
    let prefix = OrderKey.bytes(of: .reference(AnyObjectID(map.entity.interned, target)))
    uuids += differing.rows.objects(
      in: KeyRange(beginningWith: prefix), of: .slot(slot))
    return uuids.sorted()
  }

  /// The objects that referred to a target, ascending, from an index whose first column is the to-one. `nil` if there
  /// is none.
  private func pastMembers(_ slot: Int, _ map: EntityMap, of target: UniqueID) throws(StoreError) -> [UniqueID]? {
    if map.histories.isEmpty { return nil }
    for index in map.entity.indexes where index.columns.first == slot && index.keepsHistory {
      guard let past = try past(map, slot: index.slot) else { continue }
      // A key has the UUID alone.
      let prefix = OrderKey.bytes(of: .reference(AnyObjectID(map.entity.interned, target)))
      return try store.indexes.objects(map, slot: index.slot, in: KeyRange(beginningWith: prefix), of: past).sorted()
    }
    return nil
  }

  private func note(_ error: StoreError) { if failure == nil { failure = error } }

  /// The objects of an entity that read differently here than at the head, sorted by `order` unless it is `nil`.
  func headDifferences(_ map: EntityMap, order: PendingRows.Order? = nil) throws(StoreError) -> HeadDifferences.Answer {
    try differences.of(map, self, order: order)
  }

  func indexSnapshot(_ map: EntityMap, slot: Int) throws(StoreError) -> IndexSnapshot? {
    guard !map.histories.isEmpty, try past(map, slot: slot, withOverlays: true) != nil else {
      return try differences.index(map, slot: slot, self)
    }
    // It needs no object that changed after the position.
    var overlaid: [UniqueID: [[UInt8]]] = [:]
    for uuid in self.overlaid(map) {
      let values = try read(AnyObjectID(map.entity.interned, uuid), map)
      overlaid[uuid] = values.map { map.entity.rowKeys(slot, $0, uuid) } ?? []
    }
    readsHistory = true
    return IndexSnapshot(store, map, slot: slot, at: position, overlaid: overlaid)
  }

  /// The index over a slot as it was at the position, which is before the head. `nil` if the index keeps no history of
  /// the position.
  ///
  /// - Parameter withOverlays: Whether the caller adds the objects of overlays itself. Otherwise there must be none.
  func past(_ map: EntityMap, slot: Int, withOverlays: Bool = false) throws(StoreError) -> PastIndex? {
    guard let number = map.indexes[slot], map.keepsHistory(number), withOverlays || layers.isEmpty else { return nil }
    return try position < store.refreshedHead() ? store.indexes.past(map, slot: slot, at: position) : nil
  }

  /// Whether a walk over the log has found the objects of an entity that changed since.
  func differencesAreKnown(of map: EntityMap) -> Bool { differences.walk(of: map.entity.interned, at: position) != nil }

  /// Whether any overlay changed an object.
  func overlays(_ id: AnyObjectID) -> Bool { layers.contains { $0.changes.contains(id) } }

  /// Whether any overlay inserted or deleted an object.
  func overlaysExistence(_ id: AnyObjectID) -> Bool {
    layers.contains { $0.changes[id].map { $0.isInsertion || $0.isDeletion } ?? false }
  }

  /// The objects of an entity that any overlay changed.
  func overlaid(_ map: EntityMap) -> Set<UniqueID> {
    var uuids: Set<UniqueID> = []
    for layer in layers { for id in layer.changes.objects(of: map.entity.interned) { uuids.insert(id.uuid) } }
    return uuids
  }
}
