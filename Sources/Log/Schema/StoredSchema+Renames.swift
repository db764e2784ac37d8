import RepriseObjectModel

// If the program renames a property or a model without `was:`, the models have a new one. The store has one that no
// model names.

/// A property that a mapping of a migration does not take along.
package struct LeftBehind {
  package let property: StoredProperty
  /// The name of the entity that has it.
  package let source: String
  /// The entity that received its objects.
  package let target: UInt32

  package init(property: StoredProperty, source: String, target: UInt32) {
    self.property = property
    self.source = source
    self.target = target
  }
}

extension StoredSchema {
  /// The additions of the models to entities whose mappings left a property of the same type behind.
  ///
  /// - Parameter converts: Whether an unmatched conversion leads from one kind of attribute to the other, and its
  ///   entity and property are possible candidates.
  package func possibleRenames(
    of left: [LeftBehind], in models: ResolvedSchema,
    converts: (AttributeKind, AttributeKind, _ isMeant: (_ entity: String, _ property: String) -> Bool) -> Bool
  ) -> [PossibleRename] {
    if left.isEmpty { return [] }
    let match = SchemaMatch(models, self)
    return left.flatMap { left -> [PossibleRename] in
      let heirs = heirs(of: left.target)
      return models.entities.enumerated().flatMap { place, model -> [PossibleRename] in
        guard !model.isLink, let known = match.stored(place, self), heirs.contains(known.number) else { return [] }
        func isMeant(_ entity: String, _ slot: Int, _ property: String) -> Bool {
          guard model.slot(everNamed: property).map({ $0 == slot }) ?? true else { return false }
          return entity == left.source || model.isEverNamed(entity)
            || entities.contains { heirs.contains($0.number) && ($0.name == entity || $0.formerNames.contains(entity)) }
        }
        return model.properties.enumerated().compactMap { slot, property in
          guard match.property(place, slot) == nil, !model.isHidden(property),
            left.property.isLike(property) && leads(left.property, as: property, models, match)
              || left.property.becomes(property, { converts($0, $1) { isMeant($0, slot, $1) } })
          else { return nil }
          return PossibleRename(
            entity: model.name, property: property.name, formers: [left.property.name], source: left.source)
        }
      }
    }
  }

  /// An entity, and the entities that have received its objects since.
  private func heirs(of entity: UInt32) -> Set<UInt32> {
    var heirs: Set = [entity]
    for descent in descents where descent.kind != .extracted && heirs.contains(descent.source) {
      heirs.insert(descent.target)
    }
    return heirs
  }

  /// The additions of the models for which the store has an unclaimed candidate of the same type. Entities come first.
  func possibleRenames(in models: ResolvedSchema, _ match: SchemaMatch) -> [PossibleRename] {
    var renames: [PossibleRename] = []
    let left = entities.indices.filter { place in
      match.entity(at: place) == nil && !entities[place].name.isEmpty && !isLink(entities[place])
    }
    for (place, model) in models.entities.enumerated() where !model.isLink {
      if let known = match.stored(place, self) {
        let isLike = { (stored: StoredProperty, slot: Int) in
          stored.isLike(model.properties[slot]) && self.leads(stored, as: model.properties[slot], models, match)
        }
        renames += known.possibleRenames(in: model, { match.property(place, $0) }, isLike)
      } else {
        let formers = left.map { entities[$0] }.filter { $0.isLike(model) }.map(\.name)
        if !formers.isEmpty { renames.append(PossibleRename(entity: model.name, property: nil, formers: formers)) }
      }
    }
    return renames.filter { $0.property == nil } + renames.filter { $0.property != nil }
  }

  /// Whether a stored relationship leads to the entity of the model's target, or to an entity whose objects moved
  /// there. For a many-to-many relationship, any entity counts.
  private func leads(
    _ stored: StoredProperty, as property: Property, _ models: ResolvedSchema, _ match: SchemaMatch
  ) -> Bool {
    guard let number = stored.role.end?.target, let target = property.target else { return true }
    if let entity = entity(number: number), isLink(entity) { return true }
    let place = models.entities.firstIndex { $0 === target }
    return place.flatMap { match.stored($0, self) }.map { heirs(of: number).contains($0.number) } ?? false
  }
}

extension StoredEntity {
  /// - Parameter places: By slot of the model, the place of the property here. `nil` for a new one.
  fileprivate func possibleRenames(
    in model: Entity, _ places: (Int) -> Int?, _ isLike: (StoredProperty, Int) -> Bool
  ) -> [PossibleRename] {
    let known = model.properties.indices.map(places)
    // Most programs add nothing.
    if !known.contains(nil) { return [] }
    let left = properties.indices.filter { place in
      !known.contains(place) && !properties[place].name.isEmpty && !isHidden(properties[place])
    }
    return model.properties.indices.compactMap { slot in
      let property = model.properties[slot]
      if known[slot] != nil || model.isHidden(property) { return nil }
      let formers = left.map { properties[$0] }.filter { isLike($0, slot) }.map(\.name)
      return formers.isEmpty ? nil : PossibleRename(entity: model.name, property: property.name, formers: formers)
    }
  }

  /// Whether at least half of its attributes are in a model, by name and type, and half of the model's attributes are
  /// here.
  fileprivate func isLike(_ model: Entity) -> Bool {
    let here = properties.filter { if case .attribute = $0.role { !$0.name.isEmpty && !isHidden($0) } else { false } }
    let there = model.properties.filter { $0.attribute != nil && !model.isHidden($0) }
    let common = there.filter { property in here.contains { $0.name == property.name && $0.isLike(property) } }.count
    return common > 0 && 2 * common >= max(here.count, there.count)
  }
}

extension StoredProperty {
  /// Whether a property of a model could be this one under another name.
  fileprivate func isLike(_ property: Property) -> Bool {
    switch role {
    case .attribute(let kind, _): property.attribute?.kind == kind && property.attribute?.derivation == nil
    case .toOne: property.target != nil && !property.isToMany
    case .toMany: property.isToMany
    case .columns, .words: false
    }
  }

  /// Whether a property of a model could be this one converted.
  fileprivate func becomes(_ property: Property, _ converts: (AttributeKind, AttributeKind) -> Bool) -> Bool {
    guard case .attribute(let kind, _) = role, let attribute = property.attribute, attribute.derivation == nil else {
      return false
    }
    return converts(kind, attribute.kind)
  }
}

extension Entity {
  /// Whether a property goes with another one: the other direction of a relationship, or the places of its members.
  fileprivate func isHidden(_ property: Property) -> Bool {
    properties.contains {
      property.name == Property.mirrorName(of: $0.name) || property.name == Property.nameOfPlaces(in: $0.name)
    }
  }
}
