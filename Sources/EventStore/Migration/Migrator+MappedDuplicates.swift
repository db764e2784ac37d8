import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  /// The first objects that would have the same unique values as other objects after the mappings, found without
  /// writing. Tries the mappings twice for each unique index over objects that they make or change.
  func mappedDuplicates(_ outcome: MigrationOutcome, limit: Int) throws(StoreError) -> [RuleViolation] {
    // A later step would read objects that do not exist yet.
    guard let arrangement = outcome.onlyStep else { return [] }
    var violations: [RuleViolation] = []
    for entity in outcome.schema.entities where outcome.mapped.contains(entity.number) && !entity.name.isEmpty {
      let model = outcome.models.byName[EntityName(entity.name)]
      let map = arrangement.schema.entity(number: entity.number).flatMap { EntityMap(allOf: $0, named: entity.name) }
      for property in entity.properties {
        guard let unique = UniqueIndex(property, of: entity, slot: { map?.slot($0) }),
          unique.slots.allSatisfy({ $0 != nil }),
          !unique.properties.contains(where: { model?.property(named: $0)?.isDerived == true })
        else { continue }
        violations += try duplicates(by: unique, of: entity.name, limit: limit) { (body) throws(StoreError) in
          try forEachMapped(in: entity, outcome.before, arrangement, unique, body)
        }
      }
    }
    return violations.map { $0.typed(by: outcome.models) }
  }

  /// Calls `body` with the values that the objects of an entity would have in the columns of an index, until it returns
  /// false. Keeps the objects that the mappings delete, and those to which they give other values, in memory.
  private func forEachMapped(
    in entity: StoredEntity, _ before: StoredSchema, _ arrangement: MappingArrangement, _ unique: UniqueIndex,
    _ body: (UniqueID, [PropertyValue]) -> Bool
  ) throws(StoreError) {
    var gone: Set<UniqueID> = []
    var changed: [UniqueID: [PropertyValue]] = [:]
    var goesOn = true
    for work in arrangement.works where goesOn {
      try forEachTrial(of: work, arrangement) { trial in
        for operation in trial.operations where operation.map.number == entity.number {
          switch operation.change {
          case .inserted(let values):
            if goesOn, let columns = unique.columns(values) { goesOn = body(operation.uuid, columns) }
          case .deleted: gone.insert(operation.uuid)
          case .updated(let changes):
            let isConcerned = changes.contains { unique.slots.contains($0.slot) }
            guard isConcerned, let before = changed[operation.uuid] ?? operation.values.flatMap(unique.columns) else {
              continue
            }
            changed[operation.uuid] = zip(unique.slots, before).map { slot, value in
              changes.first { $0.slot == slot }?.new ?? value
            }
          }
        }
        return goesOn
      }
    }
    guard goesOn, let stored = before.entity(number: entity.number) else { return }
    try forEachRecord(of: stored) { (uuid, record) throws(MalformedBytes) in
      if gone.contains(uuid) { return true }
      if let columns = changed[uuid] { return body(uuid, columns) }
      return body(uuid, try unique.index.values(in: record.fields))
    }
  }
}
