import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The result of the pending migrations and of the models after them, found without writing.
struct MigrationOutcome {
  /// The schema of the store.
  let before: StoredSchema
  /// The schema after the migrations.
  let after: StoredSchema
  /// The models, with the additional relationships of `after`.
  let models: ResolvedSchema
  /// The changes that the models make to `after`.
  let reconciliation: SchemaReconciliation
  /// Possible renames without `was:`, in their old entity or in the entity that their objects move to.
  let possibleRenames: [PossibleRename]
  /// The derived attributes that would be computed.
  let underived: [OutdatedDerivation]
  /// The numbers of the entities whose objects the mappings would make, change or delete.
  let mapped: Set<UInt32>
  /// The steps that find nothing.
  let unmatchedSteps: [MigrationPreview.UnmatchedStep]
  /// The mappings of a plan without other work on objects. `nil` for any other plan.
  let onlyStep: MappingArrangement?

  /// The schema with which the store would be open.
  var schema: StoredSchema { reconciliation.schema }

  /// The columns of a unique index, if its objects and their values are the same before and after. `nil` for other
  /// properties, and if migrations or derivations would change the values first.
  func unchangedIndex(_ property: StoredProperty, of entity: StoredEntity) -> UniqueIndex? {
    guard let unique = UniqueIndex(property, of: entity, slot: { _ in nil }), !mapped.contains(entity.number),
      let now = before.entity(number: entity.number)
    else { return nil }
    let computed = underived.first { $0.entity.isEverNamed(entity.name) }
    let areThere = unique.index.columns.allSatisfy { column in
      now.property(number: column.number) != nil
        && computed?.slots.contains { computed?.entity.properties[$0].name == column.name } != true
    }
    return areThere ? unique : nil
  }
}

extension Migrator {
  /// - Throws: ``StoreError``: the migrations do not fit the store or the models, or the models do not fit the state
  ///   after the migrations.
  func outcome(of migrations: [Migration], _ stored: StoredSchema) throws(StoreError) -> MigrationOutcome {
    var after = stored
    var mapped: Set<UInt32> = []
    var converted: Set<UInt32> = []
    var left: [LeftBehind] = []
    var unmatched: [AttributeConversion] = []
    var names = PlanNames(plan, models)
    let steps = migrations.filter { !$0.conversions.isEmpty || !$0.mappings.isEmpty }
    var onlyStep: MappingArrangement?
    for migration in migrations {
      var renamed = after
      for rename in migration.renames {
        names.compare(rename, in: migration, renamed)
        renamed.carryOut([rename], in: models)
      }
      after.carryOut(migration.renames, in: models)
      for conversion in migration.conversions {
        let target = try target(of: conversion, in: migration, after)
        names.compare(conversion, findsAttribute: target != nil, in: migration, after)
        guard let target else {
          unmatched.append(conversion)
          continue
        }
        _ = after.replace(target.property, of: target.entity, by: conversion.new)
        converted.insert(target.entity.number)
      }
      for removal in migration.removals {
        names.compare(removal, in: migration, after)
        _ = after.remove(removal, in: models)
      }
      for mapping in migration.mappings { names.compare(mapping, in: migration, after) }
      let before = after
      let arrangement = try environment.read { (transaction) throws(StoreError) in
        try self.arrangement(of: migration, before, transaction.view)
      }
      for work in arrangement.works { mapped.formUnion([work.source, work.target]) }
      if steps.count == 1, !migration.mappings.isEmpty { onlyStep = arrangement }
      left += arrangement.left
      after = arrangement.schema
    }
    try names.requireKnown(in: after)
    let models = try models.following(after)
    let reconciliation = try SchemaReconciliation(models, after)
    let underived = try read { (view) throws(StorageError) in
      try meta.outdatedDerivations(models, after, view)
    }
    let renames = after.possibleRenames(of: left, in: models) { old, new, isMeant in
      unmatched.contains { $0.old == old && $0.new.attribute?.kind == new && isMeant($0.entity, $0.property) }
    }
    return MigrationOutcome(
      before: stored, after: after, models: models, reconciliation: reconciliation,
      possibleRenames: reconciliation.possibleRenames + renames,
      underived: underived.merged(with: models.derivations(over: converted, in: after)), mapped: mapped,
      unmatchedSteps: names.unmatchedSteps, onlyStep: onlyStep)
  }
}

extension ResolvedSchema {
  /// All attributes that derive from attributes of these entities. A conversion runs without the models, so they are
  /// computed again after it.
  fileprivate func derivations(over entities: Set<UInt32>, in schema: StoredSchema) -> [OutdatedDerivation] {
    guard derives, !entities.isEmpty else { return [] }
    let match = SchemaMatch(self, schema)
    return self.entities.enumerated().compactMap { place, entity in
      guard entity.derives, let stored = match.stored(place, schema), entities.contains(stored.number) else {
        return nil
      }
      return OutdatedDerivation(entity, slots: entity.derivedSlots)
    }
  }
}

extension [OutdatedDerivation] {
  /// Both lists of outdated derivations in one. `whole` replaces the derivations of its entities, because it has all of
  /// them.
  fileprivate func merged(with whole: [OutdatedDerivation]) -> [OutdatedDerivation] {
    filter { outdated in !whole.contains { $0.entity === outdated.entity } } + whole
  }
}
