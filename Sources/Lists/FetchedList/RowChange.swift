import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The change of a row between two moments of a list.
struct RowChange {
  let uuid: UniqueID
  /// The sort key before. `nil` if the object had no row.
  let oldKey: [UInt8]?
  /// The sort key after. `nil` if it has none now.
  let newKey: [UInt8]?
  /// The section before, if sections are grouped and the object had a row.
  var oldSection: String?
  /// The section after.
  var newSection: String?
  /// The slots of the properties that changed, ascending.
  let slots: [Int]
  /// The earlier rank of the row, without limit and offset. `nil` until the rows are known.
  var oldRank: Int?
  /// The later rank of the row, without limit and offset. `nil` for a row that stays.
  var newRank: Int?

  init(_ uuid: UniqueID, from oldKey: [UInt8]?, to newKey: [UInt8]?, slots: [Int]) {
    self.uuid = uuid
    self.oldKey = oldKey
    self.newKey = newKey
    self.slots = slots
  }

  /// Whether the row keeps its place among the rows that did not change.
  var stays: Bool { oldKey == newKey && oldSection == newSection }
}

/// A fetch, and the changes that may affect its rows.
struct WatchedFetch {
  let fetch: CompiledFetch
  /// The entities whose changes may affect the rows.
  let entities: [EntityName]
  /// The object's own properties that decide whether and where it has a row.
  private let slots: SlotSet
  private let dependencies: Set<FetchDependency>

  /// The most changes that a list follows. After more changes, the list is fetched again.
  static let limit = ListChanges.rowLimit

  init(_ fetch: CompiledFetch, schema: ResolvedSchema) {
    self.fetch = fetch
    slots = fetch.slotsOfCondition.union(fetch.slotsOfOrder)
    dependencies = fetch.dependencies(in: schema)
    var entities = [fetch.entity.interned]
    for dependency in dependencies where !entities.contains(dependency.entity) { entities.append(dependency.entity) }
    self.entities = entities
  }

  /// The changes of rows between two projections. `nil` if there are too many, or if something could not be read.
  ///
  /// Takes a step for each change in the log and the overlays between the two, and some reads for each object that may
  /// have changed.
  ///
  /// - Parameter readingLog: Whether changes that memory no longer has are read from the log.
  func changes(
    from earlier: Projection, to later: Projection, readingLog: Bool
  ) throws(StoreError) -> [RowChange]? {
    let entity = fetch.entity.interned
    let found = try later.differences(
      from: earlier, in: entities, limit: Self.limit, readingLog: readingLog
    ) { difference in
      // An import of objects for another list does not affect this one.
      difference.id.name != entity || key(of: difference.before, difference.id, earlier) != nil
        || key(of: difference.after, difference.id, later) != nil
    }
    guard let differences = found,
      var dependents = later.dependents(of: differences, by: dependencies, limit: Self.limit)
    else { return nil }
    var changes: [RowChange] = []
    for difference in differences where difference.id.name == entity {
      let others = dependents.removeValue(forKey: difference.id.uuid)
      let own = difference.slots
      let old = key(of: difference.before, difference.id, earlier)
      // Most edits are of properties that neither condition nor order reads.
      let decides =
        difference.before == nil || difference.after == nil || others != nil || own.contains { slots.contains($0) }
      let new = decides ? key(of: difference.after, difference.id, later) : old
      guard old != nil || new != nil else { continue }
      let told = others.map { $0.union(SlotSet(own)).sorted } ?? own
      var change = RowChange(difference.id.uuid, from: old, to: new, slots: told)
      note(difference.before, difference.after, difference.id, earlier, later, &change)
      changes.append(change)
    }
    for (uuid, slots) in dependents {
      let id = AnyObjectID(entity, uuid)
      let values = later.values(of: id)
      let old = key(of: values, id, earlier)
      let new = key(of: values, id, later)
      guard old != nil || new != nil else { continue }
      var change = RowChange(uuid, from: old, to: new, slots: slots.sorted)
      note(values, values, id, earlier, later, &change)
      changes.append(change)
    }
    return earlier.failure == nil && later.failure == nil ? changes : nil
  }

  private func key(
    of values: ContiguousArray<PropertyValue>?, _ id: AnyObjectID, _ projection: Projection
  ) -> [UInt8]? {
    guard let values, fetch.matches(values, id: id, source: projection) else { return nil }
    return fetch.sortKey(of: values, id: id, source: projection)
  }

  /// Adds the sections to a change, if sections are grouped.
  private func note(
    _ before: ContiguousArray<PropertyValue>?, _ after: ContiguousArray<PropertyValue>?, _ id: AnyObjectID,
    _ earlier: Projection, _ later: Projection, _ change: inout RowChange
  ) {
    guard fetch.isGrouped else { return }
    if change.oldKey != nil, let before { change.oldSection = fetch.sectionName(of: before, id: id, source: earlier) }
    if change.newKey != nil, let after { change.newSection = fetch.sectionName(of: after, id: id, source: later) }
  }
}
