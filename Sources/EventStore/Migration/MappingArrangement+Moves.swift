import RepriseObjectModel

extension MappingArrangement {
  mutating func move(_ mapping: EntityMapping, _ place: Int) throws(StoreError) {
    guard let source = stored(mapping.source) else { return }
    let model = model(mapping.target)
    let target = target(named: mapping.target, model)
    if target == source.number { throw fail("\(mapping)", "both names are the same entity's") }
    var work = MigrationState.Work(kind: .move, mapping: place, source: source.number, target: target)
    for property in source.properties where !property.name.isEmpty {
      guard case .attribute(let kind, let isOptional) = property.role else { continue }
      let name = mapping.name(property.name)
      if mapping.assignments.contains(where: { $0.property.name == name }) { continue }
      let new = try attribute(
        name, kind, isOptional: isOptional, default: property.defaultValue, in: target, model,
        isWanted: mapping.renamed[property.name] != nil)
      if let new { work.pairs.append(.init(old: property.number, new: new)) }
    }
    try assign(mapping, in: target, model)
    for property in source.properties where !property.name.isEmpty && property.role.end != nil {
      guard let model else {
        throw fail(
          "\(mapping)", "no model has \(mapping.target), to say what becomes of the relationship '\(property.name)'")
      }
      try relate(property, of: source, to: target, model, mapping, &work)
    }
    works.append(work)
  }

  mutating func assign(_ mapping: EntityMapping, in target: UInt32, _ model: Entity?) throws(StoreError) {
    for assignment in mapping.assignments {
      guard let attribute = assignment.property.attribute else { continue }
      _ = try self.attribute(
        assignment.property.name, attribute.kind, isOptional: attribute.isOptional, default: attribute.defaultValue,
        in: target, model, isWanted: true)
    }
  }

  /// Declares what a relationship of the source becomes at the target.
  private mutating func relate(
    _ property: StoredProperty, of source: StoredEntity, to target: UInt32, _ model: Entity, _ mapping: EntityMapping,
    _ work: inout MigrationState.Work
  ) throws(StoreError) {
    guard let was = property.role.end else { return }
    let name = mapping.name(property.name)
    let slot = model.slot(everNamed: name)
    let end = slot.flatMap { models.relationship($0, of: model) }
    if let links = schema.entity(number: was.target), schema.isLink(links) {
      if let end, end.far == nil { throw fail("\(mapping)", "'\(name)' is no many-to-many in the models") }
      try relink(links, was.inverse, name, end, to: target, work)
      return
    }
    // Declared where the reference is stored, and its object moves as well.
    let isOfMoved =
      was.target == source.number
      || migration.mappings.contains { mapping in
        if case .move = mapping.form { stored(mapping.source)?.number == was.target } else { false }
      }
    guard let end, end.far == nil, end.stores == property.role.stores else {
      if let end, end.far == nil {
        throw fail("\(mapping)", "the model stores the relationship '\(name)' at its other end")
      }
      if !property.role.stores { follow(was, source.number, (target, 0)) }
      return
    }
    let other = self.target(named: end.target.name, end.target)
    if property.role.stores {
      guard other == was.target || isOfMoved else {
        throw fail("\(mapping)", "'\(name)' leads to \(end.target.name), and led to \(entity(was.target).name)")
      }
      work.pairs.append(
        .init(old: property.number, new: relationship(name, end, of: target, other).here))
    } else if other == was.target {
      follow(was, source.number, (target, relationship(name, end, of: target, other).there))
    } else if was.target == source.number, !vanishes(source.number) {
      follow(was, source.number, (target, 0))
    }
  }

  /// Has references to what moves follow it, and the places of their objects with them.
  private mutating func follow(
    _ was: (target: UInt32, inverse: UInt32), _ moving: UInt32, _ end: (target: UInt32, new: UInt32)
  ) {
    var work: MigrationState.Work
    let known = works.firstIndex { $0.kind == .follow && $0.source == was.target && $0.reference == was.inverse }
    if let known {
      work = works[known]
    } else {
      work = MigrationState.Work(kind: .follow, mapping: 0, source: was.target, target: moving)
      work.reference = was.inverse
    }
    if !work.ends.contains(where: { $0.old == end.target && $0.new != 0 }) {
      work.ends.removeAll { $0.old == end.target }
      work.ends.append(.init(old: end.target, new: end.new))
    }
    if end.new != 0, let places = places(of: was.inverse, end.new, in: was.target) { work.pairs.append(places) }
    if let known { works[known] = work } else { works.append(work) }
  }

  /// The attributes that keep the places of members, before and after.
  private mutating func places(
    of old: UInt32, _ new: UInt32, in number: UInt32
  ) -> MigrationState.Pair? {
    let entity = entity(number)
    guard let was = entity.property(number: old)?.name, let now = entity.property(number: new)?.name, was != now,
      let place = entity.property(named: Property.nameOfPlaces(in: was)), case .attribute = place.role,
      let model = models.entities.first(where: { stored($0)?.number == number }),
      model.slot(named: Property.nameOfPlaces(in: now)) != nil
    else { return nil }
    if let known = entity.property(named: Property.nameOfPlaces(in: now)) {
      return .init(old: place.number, new: known.number)
    }
    let property = newProperty()
    declare(
      StoredProperty(
        number: property, name: Property.nameOfPlaces(in: now), role: place.role, defaultValue: place.defaultValue),
      in: number)
    return .init(old: place.number, new: property)
  }
}
