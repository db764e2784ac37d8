import RepriseLMDB
import RepriseObjectModel

/// Makes a ``SavePlan``, of one save.
struct SavePlanner {
  let map: SchemaMap
  let tables: StoreTables
  let path: String
  var operations: [AnyObjectID: SavePlan.Operation] = [:]
  var conflicts: [Conflict] = []
  /// Deleted by a rule, not by the context, which could not see them.
  var unseen: Set<AnyObjectID> = []

  func record(_ uuid: UniqueID, _ entity: EntityMap, _ view: View) throws(SaveFailure) -> [UInt8]? {
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

  mutating func operation(_ id: AnyObjectID, _ view: View) throws(SaveFailure) -> SavePlan.Operation? {
    if let operation = operations[id] { return operation }
    guard let entity = map.map(id.name), let record = try record(id.uuid, entity, view) else { return nil }
    let values = try values(record, id, entity)
    return SavePlan.Operation(map: entity, uuid: id.uuid, change: .updated([]), record: record, values: values)
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
}
