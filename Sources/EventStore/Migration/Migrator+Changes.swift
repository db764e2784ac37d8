import RepriseLMDB
import RepriseLog
import RepriseObjectModel

// The changes that the models make in a store without a migration, after the changes of the plan.

extension Migrator {
  typealias Changes = (
    renames: [MigrationPreview.Rename], additions: [MigrationPreview.Addition], indexes: [MigrationPreview.Index]
  )

  func changes(_ outcome: MigrationOutcome) throws(StoreError) -> Changes {
    let (after, models, reconciliation) = (outcome.after, outcome.models, outcome.reconciliation)
    var renames: [MigrationPreview.Rename] = []
    for entity in reconciliation.schema.entities where !reconciliation.schema.isLink(entity) {
      guard let made = after.entity(number: entity.number), !entity.name.isEmpty else { continue }
      let before = outcome.before.entity(number: entity.number) ?? made
      if before.name != entity.name { renames.append(.init(entity: entity.name, property: nil, former: before.name)) }
      for property in entity.properties where !property.name.isEmpty && !property.role.isIndex {
        let known = before.property(number: property.number) ?? made.property(number: property.number)
        guard let former = known?.name, former != property.name else { continue }
        renames.append(.init(entity: entity.name, property: property.name, former: former))
      }
    }
    var additions = reconciliation.newEntities.filter { !reconciliation.schema.isLink($0) }
      .map { MigrationPreview.Addition(entity: $0.name, property: nil) }
    var indexes: [MigrationPreview.Index] = []
    for (entity, property) in reconciliation.newProperties {
      if !property.role.isIndex, after.entity(number: entity.number)?.property(number: property.number) == nil,
        models.byName[EntityName(entity.name)]?.property(named: property.name) != nil
      {
        additions.append(.init(entity: entity.name, property: property.name))
      }
      if property.index != nil, property.role.end == nil { indexes.append(try index(property, of: entity, outcome)) }
    }
    for (entity, property) in reconciliation.newUniqueIndexes
    where !reconciliation.newProperties.contains(where: { $0.property.number == property.number }) {
      indexes.append(try index(property, of: entity, outcome))
    }
    return (renames, additions, indexes)
  }

  private func index(
    _ property: StoredProperty, of entity: StoredEntity, _ outcome: MigrationOutcome
  ) throws(StoreError) -> MigrationPreview.Index {
    var violations: [RuleViolation] = []
    if let unique = outcome.unchangedIndex(property, of: entity) {
      violations = try duplicates(by: unique, of: entity, limit: 10).map { $0.typed(by: outcome.models) }
    }
    return MigrationPreview.Index(
      entity: entity.name, properties: StoredIndex(property, of: entity)?.columns.map(\.name) ?? [],
      isUnique: property.role.uniqueness > .none, nilsAreEqual: property.role.uniqueness == .nilsAreEqual,
      objects: try count(of: entity), violations: violations)
  }
}
