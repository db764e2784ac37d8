import RepriseLMDB
import RepriseObjectModel

/// A save that was found good against the head, with everything that follows from it spelled out: what is appended is
/// outcomes, so that applying a transaction decides nothing.
///
/// Made before the first write of the save: one that is refused has written nothing.
struct SavePlan {
  struct Operation {
    let map: EntityMap
    let uuid: UniqueID
    var change: ObjectChange
    /// The record at the head; `nil` where there is none.
    let record: [UInt8]?
    /// The values in that record.
    let values: ContiguousArray<PropertyValue>?
    /// Relationships of an updated object that the model lacks, by number: their target is deleted.
    var cleared: [UInt32] = []

    /// Whether nothing is left to write: a rule may have taken back what the context did.
    var isEmpty: Bool { change == .updated([]) && cleared.isEmpty }
    var id: AnyObjectID { AnyObjectID(map.entity.interned, uuid) }
  }

  /// By entity, then by UUID, each object once: the order in which pages are touched.
  private(set) var operations: [Operation] = []
}

/// Why a save is not carried out.
enum SaveFailure: LMDBErrorConvertible {
  /// This save is refused; others of its group go on.
  case refused(SaveError)
  /// The store failed; nobody's save went through.
  case broken(LMDBError)
  /// Something stored cannot be read.
  case damaged(StoreError)

  init(_ error: LMDBError) { self = .broken(error) }

  var saveError: SaveError {
    switch self {
    case .refused(let error): error
    // Keys have the lengths that the library gives them.
    case .broken(.badValueSize): .tooLong(limit: ChunkedRows.maximumSize)
    case .broken(let error): .store(StoreError(error))
    case .damaged(let error): .store(error)
    }
  }
}

extension SavePlan {
  /// Most events that one save may have.
  static let limit = 100_000

  init(_ request: SaveRequest, _ map: SchemaMap, _ store: StoreTables, path: String, _ view: View) throws(SaveFailure) {
    var planner = SavePlanner(map: map, tables: store, path: path)
    for (object, change) in request.changes { try planner.add(object, change, view) }
    guard planner.conflicts.isEmpty else { throw .refused(.conflicts(planner.conflicts.sorted())) }
    try planner.checkReferences(view)
    guard planner.conflicts.isEmpty else { throw .refused(.conflicts(planner.conflicts.sorted())) }
    try planner.complete(view)
    if !planner.unseen.isEmpty {
      // What was deleted just now may be what another change of this save refers to.
      try planner.checkReferences(view)
      guard planner.conflicts.isEmpty else { throw .refused(.conflicts(planner.conflicts.sorted())) }
    }
    guard planner.operations.count <= Self.limit else {
      throw .refused(.tooLarge(events: planner.operations.count, limit: Self.limit))
    }
    operations = planner.operations.values.filter { !$0.isEmpty }.sorted {
      $0.map.number != $1.map.number ? $0.map.number < $1.map.number : $0.uuid < $1.uuid
    }
  }
}

extension [Conflict] {
  fileprivate func sorted() -> [Conflict] { sorted { $0.object < $1.object } }
}

private struct SavePlanner {
  let map: SchemaMap
  let tables: StoreTables
  let path: String
  var operations: [AnyObjectID: SavePlan.Operation] = [:]
  var conflicts: [Conflict] = []
  /// Deleted by a rule, not by the context, which could not see them.
  private(set) var unseen: Set<AnyObjectID> = []

  private func record(_ uuid: UniqueID, _ entity: EntityMap, _ view: View) throws(SaveFailure) -> [UInt8]? {
    do throws(StoreError) {
      return try ObjectTable(tables.objects, path: path).bytes(of: uuid, entity, view)
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

  // MARK: The changes asked for

  mutating func add(_ id: AnyObjectID, _ change: ObjectChange, _ view: View) throws(SaveFailure) {
    guard let entity = map.map(id.name) else {
      throw .refused(.store(.missingModels([id.entity], given: map.schema.entities.map(\.name))))
    }
    let record = try record(id.uuid, entity, view)
    guard let record else {
      switch change {
      case .inserted:
        operations[id] = .init(map: entity, uuid: id.uuid, change: change, record: nil, values: nil)
      case .updated:
        conflicts.append(Conflict(object: id, kind: .deletedByThem))
      case .deleted:
        // Both deleted it: agreed, and nothing to do.
        break
      }
      return
    }
    let theirs = try values(record, id, entity)
    guard let change = settle(change, with: theirs, id, entity) else { return }
    operations[id] = .init(map: entity, uuid: id.uuid, change: change, record: record, values: theirs)
  }

  /// The change as it is against the head; `nil` if nothing of it is left, or if it conflicts.
  private mutating func settle(
    _ change: ObjectChange, with theirs: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ entity: EntityMap
  ) -> ObjectChange? {
    switch change {
    case .inserted:
      conflicts.append(Conflict(object: id, kind: .insertedTwice))
      return nil
    case .updated(let changes):
      var settled: [PropertyChange] = []
      settled.reserveCapacity(changes.count)
      for change in changes where entity.numbers[change.slot] != 0 {
        let current = theirs[change.slot]
        if current.isIdentical(to: change.new) { continue }
        guard current.isIdentical(to: change.old) else {
          conflicts.append(
            Conflict(
              object: id, kind: .attribute(entity.entity.properties[change.slot].name), base: change.old,
              mine: change.new, theirs: current))
          continue
        }
        settled.append(PropertyChange(slot: change.slot, old: current, new: change.new))
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

  // MARK: References

  /// Every object that is referred to from now on must be there.
  mutating func checkReferences(_ view: View) throws(SaveFailure) {
    var known: [AnyObjectID: Bool] = [:]
    for (id, operation) in operations {
      for (slot, target) in operation.change.newReferences {
        let exists: Bool
        if let change = operations[target]?.change {
          if case .deleted = change { exists = false } else { exists = true }
        } else if let answer = known[target] {
          exists = answer
        } else {
          guard let entity = map.map(target.name) else { continue }
          exists = try record(target.uuid, entity, view) != nil
          known[target] = exists
        }
        if !exists {
          let name = operation.map.entity.properties[slot].name
          conflicts.append(Conflict(object: id, kind: .missingTarget(name), mine: .reference(target)))
        }
      }
    }
  }

  // MARK: What follows

  /// Carries the delete rules to objects that the context could not see, and keeps one-to-ones one to one.
  mutating func complete(_ view: View) throws(SaveFailure) {
    // What the context deleted itself: it followed the rules from there as far as it could see.
    var waiting = operations.values.filter(\.change.isDeletion).map { (id: $0.id, isDeleted: true) }
    while let (id, isDeleted) = waiting.popLast() {
      guard let entity = map.map(id.name) else { continue }
      let ends = map.schema.relationships(of: entity.entity)
      if !isDeleted {
        guard let last = try delete(id, view) else { continue }
        for end in ends where end.stores && end.deleteRule == .cascade {
          if let target = last[end.slot].reference { waiting.append((target, false)) }
        }
      }
      for end in ends where !end.stores {
        for source in try sources(of: id.uuid, end, view) {
          let sourceID = AnyObjectID(end.target.interned, source)
          guard try stillRefers(sourceID, slot: end.inverseSlot, to: id, view) else { continue }
          switch end.deleteRule {
          case .nullify: try change(sourceID, slot: end.inverseSlot, to: .null, view)
          case .cascade: waiting.append((sourceID, false))
          }
        }
      }
      for reference in map.hiddenReferences(to: entity.number) { try clear(reference, to: id, view) }
    }
    for (id, operation) in operations {
      for (slot, target) in operation.change.newReferences {
        guard let end = map.schema.relationship(slot, of: operation.map.entity), !end.inverseIsToMany,
          let back = map.schema.relationship(end.inverseSlot, of: end.target)
        else { continue }
        for source in try sources(of: target.uuid, back, view) where source != id.uuid {
          let sourceID = AnyObjectID(back.target.interned, source)
          guard try stillRefers(sourceID, slot: slot, to: target, view) else { continue }
          try change(sourceID, slot: slot, to: .null, view)
        }
      }
    }
  }

  /// Empties the references to a deleted object that no model of this process knows. Whatever their delete rule says,
  /// the objects stay: a program must not delete what it cannot know to be concerned.
  private mutating func clear(_ reference: HiddenReference, to target: AnyObjectID, _ view: View) throws(SaveFailure) {
    for source in try sources(of: target.uuid, index: reference.index, view) {
      let id = AnyObjectID(reference.source.entity.interned, source)
      guard var operation = try operation(id, view), !operation.change.isDeletion else { continue }
      operation.cleared.append(reference.property)
      operations[id] = operation
    }
  }

  /// The objects that refer, at the head, to `target` at the derived end of a relationship.
  private func sources(
    of target: UniqueID, _ end: ResolvedSchema.Relationship, _ view: View
  ) throws(SaveFailure) -> [UniqueID] {
    guard let source = map.map(end.target.interned), let number = source.indexes[end.inverseSlot] else { return [] }
    return try sources(of: target, index: number, view)
  }

  private func sources(of target: UniqueID, index number: UInt32, _ view: View) throws(SaveFailure) -> [UniqueID] {
    do throws(IndexError) {
      return try PlainIndex(number: number, table: tables.indexes).members(of: target, in: view)
    } catch {
      throw SaveFailure(error, path: path)
    }
  }

  private func stillRefers(
    _ id: AnyObjectID, slot: Int, to target: AnyObjectID, _ view: View
  ) throws(SaveFailure) -> Bool {
    guard let operation = operations[id] else { return true }
    return operation.change.applied(to: operation.values)?[slot].reference == target
  }

  private mutating func operation(_ id: AnyObjectID, _ view: View) throws(SaveFailure) -> SavePlan.Operation? {
    if let operation = operations[id] { return operation }
    guard let entity = map.map(id.name), let record = try record(id.uuid, entity, view) else { return nil }
    let values = try values(record, id, entity)
    return SavePlan.Operation(map: entity, uuid: id.uuid, change: .updated([]), record: record, values: values)
  }

  private mutating func change(
    _ id: AnyObjectID, slot: Int, to new: PropertyValue, _ view: View
  ) throws(SaveFailure) {
    guard var operation = try operation(id, view), let now = operation.change.applied(to: operation.values) else {
      return
    }
    let step = ObjectChange.updated([PropertyChange(slot: slot, old: now[slot], new: new)])
    operation.change = operation.change.followed(by: step) ?? .updated([])
    operations[id] = operation
  }

  /// Returns the values that it had until now; `nil` if it is deleted already, or not there.
  private mutating func delete(
    _ id: AnyObjectID, _ view: View
  ) throws(SaveFailure) -> ContiguousArray<PropertyValue>? {
    guard var operation = try operation(id, view), let last = operation.change.applied(to: operation.values) else {
      return nil
    }
    unseen.insert(id)
    if let values = operation.values {
      operation.change = .deleted(values)
      operations[id] = operation
    } else {
      operations[id] = nil
    }
    return last
  }
}
