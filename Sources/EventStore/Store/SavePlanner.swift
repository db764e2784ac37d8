import RepriseLMDB
import RepriseObjectModel

/// Makes a ``SavePlan``, of one save.
struct SavePlanner {
  let map: SchemaMap
  let tables: StoreTables
  let path: String
  /// What was asked for first, by entity and UUID; then what follows from it.
  var operations: [SavePlan.Operation] = []
  /// Where operations stand, once somebody asks: most saves need none of it.
  private var places: ObjectMap<Int>?
  private var isSorted = true
  var conflicts: [Conflict] = []
  /// Deleted by a rule, not by the context, which could not see them.
  var unseen: Set<AnyObjectID> = []
  private var ends: EntityEnds?

  init(map: SchemaMap, tables: StoreTables, path: String) {
    self.map = map
    self.tables = tables
    self.path = path
  }

  // MARK: Operations

  mutating func place(_ id: AnyObjectID) -> Int? {
    if let places { return places[id] }
    var places = ObjectMap<Int>()
    places.reserveCapacity(operations.count)
    for place in operations.indices { places[operations[place].id] = place }
    self.places = places
    return places[id]
  }

  /// Sets the operation of an object that may have one.
  mutating func set(_ operation: SavePlan.Operation) {
    if let place = place(operation.id) { return operations[place] = operation }
    places?[operation.id] = operations.count
    operations.append(operation)
    isSorted = false
  }

  /// What is left to write, by entity and UUID.
  consuming func sorted() -> [SavePlan.Operation] {
    operations.removeAll { $0.isEmpty }
    if isSorted { return operations }
    return operations.sorted {
      $0.map.number != $1.map.number ? $0.map.number < $1.map.number : $0.uuid < $1.uuid
    }
  }

  func record(
    _ uuid: UniqueID, _ entity: EntityMap, isTombstone: Bool = false, _ view: View
  ) throws(SaveFailure) -> [UInt8]? {
    do throws(StoreError) {
      return try ObjectTable(tables.objects, path: path).bytes(of: uuid, entity, isTombstone: isTombstone, view)
    } catch {
      throw .damaged(error)
    }
  }

  private func values(
    _ record: [UInt8], _ id: AnyObjectID, _ entity: EntityMap
  ) throws(SaveFailure) -> ContiguousArray<PropertyValue> {
    do throws(StoreError) {
      return try ObjectTable(tables.objects, path: path).decode(record, id, entity, map)
    } catch {
      throw .damaged(error)
    }
  }

  mutating func operation(_ id: AnyObjectID, _ view: View) throws(SaveFailure) -> SavePlan.Operation? {
    if let place = place(id) { return operations[place] }
    guard let entity = map.map(id.name), let record = try record(id.uuid, entity, view) else { return nil }
    let values = try values(record, id, entity)
    return SavePlan.Operation(map: entity, uuid: id.uuid, change: .updated([]), record: record, values: values)
  }

  // MARK: The changes asked for

  /// Adds changes of different objects.
  mutating func add(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], _ view: View
  ) throws(SaveFailure) {
    var order: [(entity: UInt32, uuid: UniqueID, place: Int)] = []
    order.reserveCapacity(changes.count)
    for (place, (id, _)) in changes.enumerated() {
      guard let entity = map.map(id.name) else {
        throw .refused(.store(.missingModels([id.entity], given: map.schema.entities.map(\.name))))
      }
      order.append((entity.number, id.uuid, place))
    }
    order.sort { $0.entity != $1.entity ? $0.entity < $1.entity : $0.uuid < $1.uuid }
    operations.reserveCapacity(changes.count)
    for (_, _, place) in order { try add(changes[place].object, changes[place].change, view) }
  }

  private mutating func add(_ id: AnyObjectID, _ change: ObjectChange, _ view: View) throws(SaveFailure) {
    guard let entity = map.map(id.name) else { return }
    if case .inserted = change { return try insert(id, change, entity, view) }
    guard let record = try record(id.uuid, entity, view) else {
      // Both deleted it: agreed, and nothing to do.
      if !change.isDeletion { conflicts.append(Conflict(object: id, kind: .deletedByThem)) }
      return
    }
    let theirs = try values(record, id, entity)
    guard let change = settle(change, with: theirs, id, entity) else { return }
    operations.append(.init(map: entity, uuid: id.uuid, change: change, record: record, values: theirs))
  }

  private mutating func insert(
    _ id: AnyObjectID, _ change: ObjectChange, _ entity: EntityMap, _ view: View
  ) throws(SaveFailure) {
    var operation = SavePlan.Operation(map: entity, uuid: id.uuid, change: change, record: nil, values: nil)
    let ends = try ends(of: entity, view)
    if id.uuid <= ends.object, try record(id.uuid, entity, view) != nil {
      conflicts.append(Conflict(object: id, kind: .insertedTwice))
      return
    }
    if id.uuid <= ends.tombstone { operation.tombstone = try record(id.uuid, entity, isTombstone: true, view) }
    operations.append(operation)
  }

  /// The last object of an entity, and the last deleted one: new objects lie behind both, which saves looking for each.
  private struct EntityEnds {
    let entity: UInt32
    let object: UniqueID
    let tombstone: UniqueID
  }

  private mutating func ends(of entity: EntityMap, _ view: View) throws(SaveFailure) -> EntityEnds {
    if let ends, ends.entity == entity.number { return ends }
    let objects = ObjectTable(tables.objects, path: path)
    do throws(StoreError) {
      let ends = EntityEnds(
        entity: entity.number, object: try objects.last(of: entity.number, view),
        tombstone: try objects.last(of: entity.number | ObjectKey.tombstoneBit, view))
      self.ends = ends
      return ends
    } catch {
      throw .damaged(error)
    }
  }

  /// The change as it is against the head; `nil` if nothing of it is left, or if it conflicts.
  private mutating func settle(
    _ change: ObjectChange, with theirs: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ entity: EntityMap
  ) -> ObjectChange? {
    switch change {
    case .inserted: return nil
    case .updated(let changes):
      var settled: [PropertyChange] = []
      settled.reserveCapacity(changes.count)
      for change in changes where entity.numbers[change.slot] != 0 {
        let current = theirs[change.slot]
        switch change.standing(to: current) {
        case .agreed: break
        case .news: settled.append(change)
        case .conflict:
          conflicts.append(
            Conflict(
              object: id, kind: .attribute(entity.entity.properties[change.slot].name), base: change.old,
              mine: change.new, theirs: current))
        }
      }
      return settled.isEmpty ? nil : .updated(settled)
    case .deleted(let last):
      if last.indices.contains(where: { !last[$0].isIdentical(to: theirs[$0]) }) {
        conflicts.append(Conflict(object: id, kind: .deletedByMe))
        return nil
      }
      return .deleted(theirs)
    }
  }
}
