import RepriseLog
import RepriseObjectModel

extension MappingArrangement {
  mutating func move(_ mapping: EntityMapping, _ place: Int) throws(StoreError) {
    guard let source = stored(mapping.source) else { return }
    let model = passing(mapping.target)
    let target = target(named: mapping.target)
    if target == source.number { throw fail("\(mapping)", "both names belong to the same entity") }
    var work = MigrationState.Work(kind: .move, mapping: place, source: source.number, target: target)
    for property in source.properties where !property.name.isEmpty {
      guard case .attribute(let kind, let isOptional) = property.role else { continue }
      let name = mapping.name(property.name)
      if mapping.assignments.contains(where: { $0.property.name == name }) {
        taken.insert(property.number)
        continue
      }
      let new = try attribute(
        name, kind, isOptional: isOptional, default: property.defaultValue, in: target, model,
        isWanted: mapping.renamed[property.name] != nil || later.need(name, of: mapping.target))
      if let new { work.pairs.append(.init(old: property.number, new: new)) }
      note(property, of: source, isTaken: new != nil, to: target)
    }
    let computed = try assign(mapping, in: target, model)
    for property in source.properties where !property.name.isEmpty && property.role.end != nil {
      try relate(property, of: source, to: target, model, mapping, &work)
    }
    works.append(work)
    descents.append(
      Descent(kind: .moved, source: source.number, target: target, reference: 0, pairs: work.pairs + computed))
  }

  /// Declares the attributes that are computed. Returns them as pairs without an old property.
  mutating func assign(
    _ mapping: EntityMapping, in target: UInt32, _ model: PassingModel?
  ) throws(StoreError) -> [Descent.Pair] {
    var computed: [Descent.Pair] = []
    for assignment in mapping.assignments {
      guard let attribute = assignment.property.attribute else { continue }
      let new = try self.attribute(
        assignment.property.name, attribute.kind, isOptional: attribute.isOptional, default: attribute.defaultValue,
        in: target, model, isWanted: true)
      if let new { computed.append(.init(old: 0, new: new)) }
    }
    return computed
  }

  /// Records whether a mapping takes a property along or leaves it behind.
  mutating func note(_ property: StoredProperty, of source: StoredEntity, isTaken: Bool, to target: UInt32) {
    if isTaken {
      taken.insert(property.number)
    } else if passing(of: source)?.slot(property.name) == nil, !source.isHidden(property) {
      left.append(LeftBehind(property: property, source: source.name, target: target))
    }
  }

  /// Declares the new form of a relationship of the source at the target.
  private mutating func relate(
    _ property: StoredProperty, of source: StoredEntity, to target: UInt32, _ model: PassingModel?,
    _ mapping: EntityMapping, _ work: inout MigrationState.Work
  ) throws(StoreError) {
    guard let was = property.role.end else { return }
    let name = mapping.name(property.name)
    if model == nil, !later.concern(mapping.target) {
      throw fail(
        "\(mapping)", "the relationship '\(name)' cannot move, because the models lack the entity \(mapping.target)")
    }
    let end = model.flatMap { model in
      model.slot(name).flatMap { models.relationship($0, of: model.entity) }
    }
    if let links = schema.entity(number: was.target), schema.isLink(links) {
      if let end, end.far == nil {
        throw fail("\(mapping)", "the relationship '\(name)' is many-to-many in the store, but not in the models")
      }
      note(property, of: source, isTaken: end != nil, to: target)
      try relink(links, was.inverse, name, end, to: target, work)
      return
    }
    if end == nil, let inverse = entity(was.target).property(number: was.inverse) {
      let far = moved(inverse, of: was.target)
      if later.need(name, of: mapping.target, inClosures: false)
        || later.need(far.name, of: far.entity, inClosures: false)
      {
        taken.insert(property.number)
        carry(property, was, of: source.number, to: target, name, inverse, &work)
        return
      }
    }
    note(property, of: source, isTaken: end != nil, to: target)
    // Declared where the reference is stored, if its object moves, too.
    let isOfMoved = was.target == source.number || moves(was.target)
    guard let end, end.far == nil, end.stores == property.role.stores else {
      if let end, end.far == nil {
        let (here, there) = (source.name, entity(was.target).name)
        throw fail(
          "\(mapping)",
          "the store keeps the references of '\(name)' in \(property.role.stores ? here : there), but the models keep "
            + "them in \(end.stores ? mapping.target : end.target.name)")
      }
      if !property.role.stores { follow(was, source.number, (target, 0)) }
      return
    }
    let other = number(of: end.target, likely: was.target)
    if property.role.stores {
      guard other == was.target || isOfMoved else {
        throw fail(
          "\(mapping)",
          "'\(name)' leads to \(end.target.name) in the models, but to \(entity(was.target).name) in the store")
      }
      work.pairs.append(
        .init(old: property.number, new: relationship(name, end, of: target, other).here))
    } else if other == was.target {
      follow(was, source.number, (target, relationship(name, end, of: target, other).there))
    } else if was.target == source.number, !vanishes(source.number) {
      follow(was, source.number, (target, 0))
    }
  }

  /// The entity that has a property after this migration, and its name there.
  private func moved(_ property: StoredProperty, of number: UInt32) -> (entity: String, name: String) {
    let mapping = migration.mappings.first { mapping in
      if case .move = mapping.form { stored(mapping.source)?.number == number } else { false }
    }
    return mapping.map { ($0.target, $0.name(property.name)) } ?? (entity(number).name, property.name)
  }

  /// Takes a relationship along unchanged that only a later step needs: no model says what it becomes.
  private mutating func carry(
    _ property: StoredProperty, _ was: (target: UInt32, inverse: UInt32), of source: UInt32, to target: UInt32,
    _ name: String, _ inverse: StoredProperty, _ work: inout MigrationState.Work
  ) {
    let far = moved(inverse, of: was.target)
    let other = self.target(named: far.entity)
    let known = entity(target).properties.first { $0.name == name && $0.role.end?.target == other }
    var (here, there) = (known?.number ?? 0, known?.role.end?.inverse ?? 0)
    if known == nil {
      (here, there) = (newProperty(), newProperty())
      // The other end may still have its relationship to the objects that stay.
      let farName = vanishes(source) || moves(was.target) ? far.name : "\(entity(target).name).\(far.name)"
      declare(
        StoredProperty(
          number: here, name: name, role: property.role.leading(to: other, inverse: there),
          index: property.role.stores ? newIndex() : nil), in: target)
      declare(
        StoredProperty(
          number: there, name: farName, role: inverse.role.leading(to: target, inverse: here),
          index: inverse.role.stores ? newIndex() : nil), in: other)
    }
    if property.role.stores {
      work.pairs.append(.init(old: property.number, new: here))
    } else {
      follow(was, source, (target, there))
    }
  }

  /// Makes references to moved objects follow them, with the places of the referring objects.
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

  /// The attributes for the places of members, before and after.
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

extension StoredProperty.Role {
  /// The same relationship between other entities.
  fileprivate func leading(to target: UInt32, inverse: UInt32) -> Self {
    switch self {
    case .toOne(_, _, let rule, let stores): .toOne(target: target, inverse: inverse, deleteRule: rule, stores: stores)
    case .toMany(_, _, let rule): .toMany(target: target, inverse: inverse, deleteRule: rule)
    case .attribute, .columns, .words: self
    }
  }
}
