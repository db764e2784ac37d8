import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// An upsert: finds objects by unique values, or makes new ones, and assigns values. All changes are planned before the
/// first is recorded.
struct PlannedUpsert {
  private let context: EditingContext
  private let map: EntityMap
  private let index: UniqueIndex
  private let slot: Int
  /// The slots of the unique values.
  private let columns: [Int]
  private(set) var counts = UpsertCounts()
  /// The planned values of the objects, and their values before. A new object has `nil` before.
  private var planned: [AnyObjectID: (before: ContiguousArray<PropertyValue>?, after: ContiguousArray<PropertyValue>)]
  private var found: [UniqueKey: AnyObjectID] = [:]

  init<Model: PersistentModel>(
    _ model: Model.Type, by key: [PartialKeyPath<Model>], in context: EditingContext
  ) throws {
    guard let map = context.store.map.map(Model.entity.interned), map.entity === Model.entity else {
      throw FetchError.unknownEntity(Model.entity.name)
    }
    let keyPaths = Model._keyPaths
    var names: [String] = []
    for path in key {
      guard let name = keyPaths[path], !name.isEmpty else { throw UpdateError.unknownKeyPath(entity: map.entity.name) }
      names.append(name)
    }
    let slots = Set(names.compactMap { map.entity.slot(named: $0) })
    let indexes = map.uniqueIndexes.filter { index in
      index.slot.flatMap { map.entity.index($0) }.map { Set($0.columns) == slots } ?? false
    }
    // Prefers an index that also finds objects by nil.
    guard let index = indexes.first(where: { $0.uniqueness == .nilsAreEqual }) ?? indexes.first, let slot = index.slot,
      let columns = map.entity.index(slot)?.columns
    else {
      throw UpdateError.notUnique(entity: map.entity.name, properties: names)
    }
    self.context = context
    self.map = map
    self.index = index
    self.slot = slot
    self.columns = columns
    planned = [:]
  }

  /// Plans one more object.
  @discardableResult
  mutating func add<Model: PersistentModel>(
    _ assignments: [Assignment<Model>]
  ) throws -> (id: AnyObjectID, outcome: UpsertOutcome) {
    let assignments = try PlannedAssignments(assignments, map, in: context)
    let new = AnyObjectID(map.entity.interned, UniqueID())
    let inserted = try assignments.values(after: map.entity.defaults, new)
    let assigned = assignments.slots
    guard columns.allSatisfy({ assigned.contains($0) }), let key = index.columns(inserted).flatMap(index.key) else {
      throw UpdateError.missingKey(entity: map.entity.name, properties: index.properties)
    }
    guard let id = try object(with: key) else {
      found[key] = new
      planned[new] = (nil, inserted)
      counts.inserted += 1
      return (new, .inserted)
    }
    found[key] = id
    guard let before = try planned[id]?.after ?? values(id) else {
      let reason = "an index refers to the object \(id), which the store does not have"
      throw FetchError(reading: .damaged(path: context.store.path, reason: reason))
    }
    let after = try assignments.values(after: before, id)
    guard ObjectChange.updated(from: before, to: after) != nil else {
      counts.unchanged += 1
      return (id, .unchanged)
    }
    planned[id] = (planned[id].map(\.before) ?? before, after)
    counts.updated += 1
    return (id, .updated)
  }

  var changes: [(object: AnyObjectID, change: ObjectChange)] {
    planned.compactMap { id, values in
      guard let before = values.before else { return (id, .inserted(values.after)) }
      return ObjectChange.updated(from: before, to: values.after).map { (id, $0) }
    }
  }

  /// The object with the key that these values contain, among the planned objects or in the context's view.
  ///
  /// - Parameter error: The error if a property of the key has no value. Receives the name of the property, and why a
  ///   value is needed.
  func object(
    withKeyIn values: [(slot: Int, value: PropertyValue)],
    orThrow error: (_ property: String, _ reason: String) -> any Error
  ) throws -> AnyObjectID? {
    var all = map.entity.defaults
    for (slot, value) in values { all[slot] = value }
    let assigned = Set(values.map(\.slot))
    guard columns.allSatisfy({ assigned.contains($0) }), let key = index.columns(all).flatMap(index.key) else {
      let column = columns.first { !assigned.contains($0) } ?? columns.first { all[$0] == .null } ?? columns[0]
      throw error(
        map.entity.properties[column].name,
        "the key ('\(index.properties.joined(separator: "', '"))') needs a value for it")
    }
    return try object(with: key)
  }

  /// The object with a key, among the planned objects or otherwise in the context's view.
  private func object(with key: UniqueKey) throws(FetchError) -> AnyObjectID? {
    if let known = found[key] { return known }
    do throws(StoreError) {
      let uuids = try context.projection.objects(map, slot: slot, in: key.range)
      return uuids.first.map { AnyObjectID(map.entity.interned, $0) }
    } catch {
      throw FetchError(reading: error)
    }
  }

  private func values(_ id: AnyObjectID) throws(FetchError) -> ContiguousArray<PropertyValue>? {
    do throws(StoreError) {
      return try context.reading(of: id, map).values
    } catch {
      throw FetchError(reading: error)
    }
  }
}
