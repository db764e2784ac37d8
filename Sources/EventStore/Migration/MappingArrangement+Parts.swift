import RepriseObjectModel

extension MappingArrangement {
  mutating func extract(
    _ mapping: EntityMapping, _ place: Int, _ name: String
  ) throws(StoreError) {
    guard let source = stored(mapping.source) else { return }
    guard let sourceModel = model(of: source), let slot = sourceModel.slot(everNamed: name),
      let end = models.relationship(slot, of: sourceModel), end.far == nil, end.target.isEverNamed(mapping.target)
    else {
      throw fail("\(mapping)", "no model has a relationship '\(name)' of \(mapping.source) to \(mapping.target)")
    }
    let target = target(named: mapping.target, end.target)
    var work = MigrationState.Work(kind: .extract, mapping: place, source: source.number, target: target)
    var retired: [UInt32] = []
    for name in mapping.moved {
      guard let property = source.property(named: name), case .attribute(let kind, let isOptional) = property.role
      else {
        throw fail("\(mapping)", "the store has no attribute \(mapping.source).\(name)")
      }
      let new = try attribute(
        mapping.name(name), kind, isOptional: isOptional, default: property.defaultValue, in: target, end.target,
        isWanted: true)
      if let new { work.pairs.append(.init(old: property.number, new: new)) }
      if sourceModel.slot(everNamed: name) == nil { retired.append(property.number) }
    }
    try assign(mapping, in: target, end.target)
    let (here, there) = relationship(name, end, of: source.number, target)
    work.reference = end.stores ? here : there
    obsoleteIndexes += schema.retire(retired, of: source.number)
    works.append(work)
  }

  mutating func inline(
    _ mapping: EntityMapping, _ place: Int, _ name: String
  ) throws(StoreError) {
    guard let source = stored(mapping.source), let target = stored(mapping.target),
      let property = source.property(named: name)
    else { return }
    guard case .toOne(target.number, let inverse, _, let stores) = property.role else {
      throw fail("\(mapping)", "'\(name)' is no to-one from \(mapping.source) to \(mapping.target)")
    }
    let sourceModel = model(of: source)
    var work = MigrationState.Work(
      kind: .inline, mapping: place, source: stores ? source.number : target.number,
      target: stores ? target.number : source.number)
    work.reference = stores ? property.number : inverse
    for taken in target.properties where !taken.name.isEmpty {
      guard case .attribute(let kind, let isOptional) = taken.role else { continue }
      let new = try attribute(
        mapping.name(taken.name), kind, isOptional: isOptional, default: taken.defaultValue, in: source.number,
        sourceModel, isWanted: mapping.renamed[taken.name] != nil)
      if let new { work.pairs.append(.init(old: taken.number, new: new)) }
    }
    works.append(work)
    if vanishes(target.number) {
      works.append(.init(kind: .delete, mapping: place, source: target.number, target: target.number))
    }
  }

  func model(of entity: StoredEntity) -> Entity? {
    let place = schema.entities.firstIndex { $0.number == entity.number }
    return place.flatMap { SchemaMatch(models, schema).entity(at: $0) }.map { models.entities[$0] }
  }
}
