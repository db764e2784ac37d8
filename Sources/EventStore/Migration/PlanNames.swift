import RepriseLog
import RepriseObjectModel

/// Compares the names in a plan with the store, in the order in which the plan would be carried out.
///
/// A step that finds nothing is usual: the store may be older than the property, or a migration may have removed it. A
/// mistyped name finds nothing, too, and after the version is recorded the step never runs again. So a name that
/// nothing has or had is refused, if the store has something that may be meant.
struct PlanNames {
  private struct Unknown {
    let name: String
    let migration: String
    let meant: Meant
  }

  /// The place of the entity or property that an unknown name may mean.
  private enum Meant {
    case entity
    case property(of: UInt32)
    case index(of: UInt32)
    /// One of these names, or nothing that can be known.
    case names([String])
  }

  let plan: MigrationPlan
  let models: ResolvedSchema
  /// The steps that find nothing.
  private(set) var unmatchedSteps: [MigrationPreview.UnmatchedStep] = []
  private var unknown: [Unknown] = []

  init(_ plan: MigrationPlan, _ models: ResolvedSchema) {
    self.plan = plan
    self.models = models
  }

  // MARK: Steps

  /// A mistyped name in a rename leaves a property behind, which other checks find.
  mutating func compare(_ rename: Rename, in migration: Migration, _ schema: StoredSchema) {
    if !schema.has(rename, in: models) { unmatchedSteps.append(.init(migration: migration.name, step: "\(rename)")) }
  }

  /// - findsAttribute: Whether there is an attribute to convert.
  mutating func compare(
    _ conversion: AttributeConversion, findsAttribute: Bool, in migration: Migration, _ schema: StoredSchema
  ) {
    if findsAttribute { return }
    let name = "\(conversion.entity).\(conversion.property)"
    unmatchedSteps.append(.init(migration: migration.name, step: name))
    guard let entity = schema.entity(everNamed: conversion.entity, in: models) else {
      return compare(entity: conversion.entity, in: migration, schema, isMapping: false)
    }
    if isTakenAway(conversion.property, of: conversion.entity) || knows(conversion.property, of: entity) { return }
    let others = entity.properties.filter { property in
      if case .attribute(conversion.old, _) = property.role {
        !property.name.isEmpty && !entity.isHidden(property)
      } else {
        false
      }
    }
    unknown.append(
      Unknown(name: name, migration: migration.name, meant: .names(others.map { "\(entity.name).\($0.name)" })))
  }

  mutating func compare(_ removal: Removal, in migration: Migration, _ schema: StoredSchema) {
    if schema.has(removal, in: models) { return }
    unmatchedSteps.append(.init(migration: migration.name, step: "\(removal)"))
    guard let entity = schema.entity(of: removal, in: models) else {
      return compare(entity: removal.entity, in: migration, schema, isMapping: false)
    }
    let (names, meant): ([String], Meant) =
      switch removal.subject {
      case .attribute(let name), .relationship(let name): ([name], .property(of: entity.number))
      case .index(let names): (names, .index(of: entity.number))
      }
    let isConverted = plan.migrations.contains { migration in
      migration.conversions.contains { $0.entity == removal.entity && names.contains($0.property) }
    }
    if isConverted || names.allSatisfy({ knows($0, of: entity) }) { return }
    unknown.append(Unknown(name: "\(removal)", migration: migration.name, meant: meant))
  }

  mutating func compare(_ mapping: EntityMapping, in migration: Migration, _ schema: StoredSchema) {
    let source = schema.entity(everNamed: mapping.source, in: models)
    let target = schema.entity(everNamed: mapping.target, in: models)
    if source == nil { compare(entity: mapping.source, in: migration, schema, isMapping: true) }
    var isUnmatched = source == nil
    switch mapping.form {
    case .move:
      if let source { compareRenaming(mapping, of: source, to: mapping.target, in: migration) }
    case .extract: break
    case .inline(let relationship):
      if target == nil { compare(entity: mapping.target, in: migration, schema, isMapping: true) }
      if let target { compareRenaming(mapping, of: target, to: mapping.source, in: migration) }
      isUnmatched = isUnmatched || target == nil
      if let source, target != nil, source.property(named: relationship) == nil {
        isUnmatched = true
        if !knows(relationship, of: source) {
          let name = "\(mapping.source).\(relationship)"
          unknown.append(Unknown(name: name, migration: migration.name, meant: .property(of: source.number)))
        }
      }
    }
    if isUnmatched { unmatchedSteps.append(.init(migration: migration.name, step: "\(mapping)")) }
  }

  // MARK: Names

  private mutating func compare(
    entity name: String, in migration: Migration, _ schema: StoredSchema, isMapping: Bool
  ) {
    let isKnown =
      schema.entities.contains { $0.name == name || $0.formerNames.contains(name) }
      || models.entities.contains { $0.isEverNamed(name) }
      || plan.migrations.contains { migration in
        migration.mappings.contains { $0.target == name || !isMapping && $0.source == name }
      }
    if !isKnown { unknown.append(Unknown(name: name, migration: migration.name, meant: .entity)) }
  }

  /// An unknown name in the renaming of a mapping may mean a property that the mapping leaves behind.
  private mutating func compareRenaming(
    _ mapping: EntityMapping, of entity: StoredEntity, to other: String, in migration: Migration
  ) {
    let unknown = mapping.renamed.keys.filter { !knows($0, of: entity) }
    guard !unknown.isEmpty, let model = models.entities.first(where: { $0.isEverNamed(other) }) else { return }
    let assigned = mapping.assignments.map(\.property.name)
    let left = entity.properties.filter { property in
      let name = mapping.name(property.name)
      return !property.name.isEmpty && !property.role.isIndex && !entity.isHidden(property)
        && model.slot(everNamed: name) == nil && !assigned.contains(name)
    }
    for name in unknown.sorted() {
      self.unknown.append(
        Unknown(
          name: "\(entity.name).\(name)", migration: migration.name,
          meant: .names(left.map { "\(entity.name).\($0.name)" })))
    }
  }

  /// Whether the plan moves or removes an attribute, so that it may have come and gone after the store's version.
  private func isTakenAway(_ name: String, of entity: String) -> Bool {
    plan.migrations.contains { migration in
      migration.removals.contains { $0 == .attribute(name, of: entity) }
        || migration.mappings.contains { mapping in
          guard mapping.source == entity else { return false }
          if mapping.renamed[name] != nil || mapping.moved.contains(name) { return true }
          guard let model = models.entities.first(where: { $0.isEverNamed(mapping.target) }) else { return true }
          return model.slot(everNamed: mapping.name(name)) != nil
        }
    }
  }

  private func knows(_ name: String, of entity: StoredEntity) -> Bool {
    entity.properties.contains { $0.name == name || $0.formerNames.contains(name) }
      || models.entities.contains { model in
        (model.isEverNamed(entity.name) || entity.formerNames.contains(model.name))
          && model.slot(everNamed: name) != nil
      }
  }

  /// Throws if nothing has or had a name, and the store has something that may be meant.
  ///
  /// - Parameter after: The schema after the plan.
  func requireKnown(in after: StoredSchema) throws(StoreError) {
    let match = SchemaMatch(models, after)
    let leftEntities = after.entities.indices.filter { match.entity(at: $0) == nil }.map { after.entities[$0] }
      .filter { !$0.name.isEmpty && !after.isLink($0) }
    let warnings = after.warnings(for: models)
    for unknown in unknown {
      var candidates: [String] = []
      switch unknown.meant {
      case .entity: candidates = leftEntities.map(\.name)
      case .property(let number):
        candidates = warnings.compactMap { warning in
          guard case .property(let name, let entity) = warning, after.entity(number: number)?.name == entity else {
            return nil
          }
          return "\(entity).\(name)"
        }
      case .index(let number):
        candidates = warnings.compactMap { warning in
          guard case .index(let name, let entity) = warning, after.entity(number: number)?.name == entity else {
            return nil
          }
          return "\(entity)\(name)"
        }
      case .names(let names): candidates = names
      }
      if candidates.isEmpty { continue }
      throw .migration(.unknownName(unknown.name, migration: unknown.migration, candidates: candidates))
    }
  }
}

extension StoredSchema {
  /// The entity that has or had a name in the store or in the models.
  func entity(everNamed name: String, in models: ResolvedSchema) -> StoredEntity? {
    if let named = entity(named: name) { return named }
    let known = models.entities.firstIndex { $0.isEverNamed(name) }
    return known.flatMap { SchemaMatch(models, self).stored($0, self) }
  }
}
