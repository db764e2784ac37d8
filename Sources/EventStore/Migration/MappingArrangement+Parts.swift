import RepriseLog
import RepriseObjectModel

extension MappingArrangement {
  mutating func extract(
    _ mapping: EntityMapping, _ place: Int, _ name: String
  ) throws(StoreError) {
    guard let source = stored(mapping.source) else { return }
    let (whole, part) = (passing(of: source), passing(mapping.target))
    let end = whole.flatMap { whole in
      whole.slot(name).flatMap { models.relationship($0, of: whole.entity) }
        .flatMap { $0.far == nil && $0.target === part?.entity ? $0 : nil }
    }
    guard end != nil || part == nil && later.concern(mapping.target) || later.name(name, of: source.name) else {
      throw fail("\(mapping)", "no model has a relationship '\(name)' of \(mapping.source) to \(mapping.target)")
    }
    let target = target(named: mapping.target)
    var work = MigrationState.Work(kind: .extract, mapping: place, source: source.number, target: target)
    var retired: [UInt32] = []
    for name in mapping.moved {
      guard let property = source.property(named: name), case .attribute(let kind, let isOptional) = property.role
      else {
        throw fail(
          "\(mapping)",
          "the store has no attribute \(mapping.source).\(name). If it was renamed, list the rename in the migration "
            + "(`renaming:`)")
      }
      let new = try attribute(
        mapping.name(name), kind, isOptional: isOptional, default: property.defaultValue, in: target, part,
        isWanted: true)
      if let new { work.pairs.append(.init(old: property.number, new: new)) }
      if whole?.slot(name) == nil, !later.name(name, of: source.name) { retired.append(property.number) }
    }
    let computed = try assign(mapping, in: target, part)
    if let end {
      let (here, there) = relationship(name, end, of: source.number, target)
      work.reference = end.stores ? here : there
    } else {
      work.reference = passingRelationship(name, of: source.number, to: target)
    }
    descents.append(
      Descent(
        kind: .extracted, source: source.number, target: target, reference: work.reference,
        pairs: work.pairs + computed))
    obsoleteIndexes += schema.retire(retired, of: source.number)
    works.append(work)
  }

  /// A relationship that no model has at the end of the plan. A later step removes it.
  private mutating func passingRelationship(_ name: String, of whole: UInt32, to part: UInt32) -> UInt32 {
    let (here, there) = (newProperty(), newProperty())
    declare(
      StoredProperty(
        number: here, name: name, role: .toOne(target: part, inverse: there, deleteRule: .nullify, stores: true),
        index: newIndex()), in: whole)
    declare(
      StoredProperty(
        number: there, name: "\(entity(whole).name).\(name)",
        role: .toMany(target: whole, inverse: here, deleteRule: .nullify)), in: part)
    return here
  }

  mutating func inline(
    _ mapping: EntityMapping, _ place: Int, _ name: String
  ) throws(StoreError) {
    guard let source = stored(mapping.source), let target = stored(mapping.target),
      let property = source.property(named: name)
    else { return }
    guard case .toOne(target.number, let inverse, _, let stores) = property.role else {
      throw fail("\(mapping)", "'\(name)' is not a to-one relationship of \(mapping.source) to \(mapping.target)")
    }
    let whole = passing(of: source)
    var work = MigrationState.Work(
      kind: .inline, mapping: place, source: stores ? source.number : target.number,
      target: stores ? target.number : source.number)
    work.reference = stores ? property.number : inverse
    for taken in target.properties where !taken.name.isEmpty {
      guard case .attribute(let kind, let isOptional) = taken.role else { continue }
      let new = try attribute(
        mapping.name(taken.name), kind, isOptional: isOptional, default: taken.defaultValue, in: source.number, whole,
        isWanted: mapping.renamed[taken.name] != nil || later.need(mapping.name(taken.name), of: source.name))
      if let new { work.pairs.append(.init(old: taken.number, new: new)) }
      note(taken, of: target, isTaken: new != nil, to: source.number)
    }
    works.append(work)
    descents.append(
      Descent(
        kind: .inlined, source: target.number, target: source.number, reference: work.reference, pairs: work.pairs))
    if vanishes(target.number) {
      works.append(.init(kind: .delete, mapping: place, source: target.number, target: target.number))
    }
  }

  /// Retires attributes that were taken along only for a later step, once there is no later step.
  mutating func dropCarried(_ plan: MigrationPlan) {
    let match = SchemaMatch(models, schema)
    for (place, entity) in schema.entities.enumerated() {
      guard let model = match.entity(at: place), !later.concern(entity.name) else { continue }
      let carried = schema.carried(by: entity.number)
      if carried.isEmpty { continue }
      let named = plan.migrations.flatMap(\.mappings).flatMap { $0.names(in: entity.name) }
      let known = entity.places(of: models.entities[model])
      let left = entity.properties.indices.filter { place in
        let property = entity.properties[place]
        guard case .attribute = property.role, !property.name.isEmpty, carried.contains(property.number) else {
          return false
        }
        return !known.contains(place) && !named.contains(property.name) && !later.name(property.name, of: entity.name)
      }
      obsoleteIndexes += schema.retire(left.map { entity.properties[$0].number }, of: entity.number)
    }
  }

  /// The model that a stored entity has at the end of the plan.
  func passing(of entity: StoredEntity) -> PassingModel? {
    let place = schema.entities.firstIndex { $0.number == entity.number }
    let model = place.flatMap { SchemaMatch(models, schema).entity(at: $0) }.map { models.entities[$0] }
    return model.map { PassingModel(entity: $0, renames: later.renames(of: entity.name)) } ?? passing(entity.name)
  }
}

extension StoredSchema {
  /// The properties of an entity that got their values from other properties in migrations.
  func carried(by entity: UInt32) -> Set<UInt32> {
    Set(descents.lazy.filter { $0.target == entity }.flatMap(\.pairs).map(\.new))
  }
}

extension EntityMapping {
  /// The attributes of an entity that get values from the mapping.
  fileprivate func names(in entity: String) -> [String] {
    let isInline = if case .inline = form { true } else { false }
    guard (isInline ? source : target) == entity else { return [] }
    return renamed.values + moved.map(name) + assignments.map(\.property.name)
  }
}
