import RepriseEventStore
import RepriseObjectModel

/// Makes models of the schema that a store has recorded.
struct DynamicSchema {
  private let stored: StoredSchema
  /// The numbers of derived attributes.
  private let derived: Set<UInt32>
  /// The collations of indexes that this program would sort otherwise.
  private let outdated: [Collation]
  private var classes: [UInt32: any PersistentModel.Type] = [:]

  init(_ stored: StoredSchema, derived: Set<UInt32>, outdated: [Collation]) {
    (self.stored, self.derived, self.outdated) = (stored, derived, outdated)
    for entity in stored.entities where !entity.name.isEmpty && !stored.isLink(entity) {
      classes[entity.number] = DynamicClasses.next()
    }
  }

  /// The models, in the order of their numbers.
  func schema() -> Schema {
    var entities: [Entity] = []
    for entity in stored.entities {
      guard let model = classes[entity.number] else { continue }
      let made = make(entity, model)
      DynamicClasses.set(made, of: model)
      entities.append(made)
    }
    return Schema(entities: entities)
  }

  private func make<Model: PersistentModel>(_ entity: StoredEntity, _ model: Model.Type) -> Entity {
    var properties: [Property] = []
    for property in entity.properties where !property.name.isEmpty && !entity.isPlace(property) {
      let made: Property? =
        switch property.role {
        case .attribute(let kind, let isOptional):
          derived.contains(property.number)
            ? .derived(
              property.name, kind, isOptional: isOptional, default: property.defaultValue,
              indexed: property.index != nil, at: properties.count, of: model)
            : .attribute(property, kind, isOptional: isOptional)
        case .toOne: toOne(property)
        case .toMany: toMany(property, of: entity)
        case .columns(let columns, let uniqueness): index(property, columns, uniqueness, of: entity)
        case .words(let attribute, let version): searchIndex(property, attribute, version, of: entity)
        }
      if let made { properties.append(made) }
    }
    return Entity(model, name: entity.name, properties: properties)
  }

  // MARK: Relationships

  /// A property of another entity that is in use.
  private func property(_ number: UInt32, of entity: UInt32) -> StoredProperty? {
    stored.entity(number: entity)?.property(number: number).flatMap { $0.name.isEmpty ? nil : $0 }
  }

  private func toOne(_ property: StoredProperty) -> Property? {
    guard case .toOne(let target, let inverse, let deleteRule, let stores) = property.role,
      let model = classes[target], let back = self.property(inverse, of: target)
    else { return nil }
    // In a one-to-one relationship, the end that names the other one has the reference.
    return .toOne(property.name, to: model, inverse: stores ? back.name : nil, deleteRule)
  }

  private func toMany(_ property: StoredProperty, of entity: StoredEntity) -> Property? {
    guard case .toMany(let target, let inverse, let deleteRule) = property.role else { return nil }
    if let model = classes[target] {
      guard let back = self.property(inverse, of: target), let members = stored.entity(number: target) else {
        return nil
      }
      return .toMany(property.name, to: model, deleteRule, isOrdered: members.ordersMembers(of: back.name))
    }
    return manyToMany(property, of: entity, links: target, near: inverse, deleteRule)
  }

  /// - Parameters:
  ///   - number: The number of the entity of the links.
  ///   - near: The number of the reference in a link to the object that has the property.
  private func manyToMany(
    _ property: StoredProperty, of entity: StoredEntity, links number: UInt32, near: UInt32, _ deleteRule: DeleteRule
  ) -> Property? {
    guard let links = stored.entity(number: number), let near = links.property(number: near)?.name else {
      return nil
    }
    let isOwner = near == Link.ownerName
    guard
      case .toOne(let target, let inverse, _, _)? = links.property(named: isOwner ? Link.memberName : Link.ownerName)?
        .role, let model = classes[target], let back = self.property(inverse, of: target)
    else { return nil }
    var named = isOwner ? back.name : nil
    if target == entity.number {
      if property.name == Property.mirrorName(of: back.name) { return nil }
      // The relationship is its own inverse.
      if back.name == Property.mirrorName(of: property.name) { named = property.name }
    }
    // The rule for the objects at the other end is not stored, only the rule for the links.
    return .toMany(
      property.name, to: model, inverse: named, deleteRule.leavesReferences ? deleteRule : .nullify,
      isOrdered: links.ordersMembers(of: near))
  }

  // MARK: Indexes

  private func index(
    _ property: StoredProperty, _ columns: [StoredColumn], _ uniqueness: Uniqueness, of entity: StoredEntity
  ) -> Property? {
    guard property.index != nil else { return nil }
    var named: [IndexColumn] = []
    for column in columns {
      guard let name = entity.property(number: column.property).flatMap({ $0.name.isEmpty ? nil : $0 }),
        !entity.isPlace(name), !outdated.contains(column.collation)
      else { return nil }
      named.append(IndexColumn(name.name, column.collation))
    }
    if uniqueness == .none { return .index(named, keepsHistory: property.keepsHistory) }
    return .unique(named, nilsAreEqual: uniqueness == .nilsAreEqual, keepsHistory: property.keepsHistory)
  }

  private func searchIndex(
    _ property: StoredProperty, _ attribute: UInt32, _ version: UInt32, of entity: StoredEntity
  ) -> Property? {
    guard property.index != nil, version == SearchWords.version,
      let name = entity.property(number: attribute)?.name, !name.isEmpty
    else { return nil }
    return .searchIndex(name)
  }
}

extension StoredEntity {
  /// Whether the objects of a reference have an order. Their index may still be under construction.
  fileprivate func ordersMembers(of reference: String) -> Bool {
    guard let owner = property(named: reference),
      let place = property(named: Property.nameOfPlaces(in: reference))
    else { return false }
    return properties.contains { index in
      guard case .columns(let columns, _) = index.role, index.index != nil else { return false }
      return columns.map(\.property) == [owner.number, place.number]
    }
  }

  /// Whether an attribute has the places of objects in an ordered relationship.
  fileprivate func isPlace(_ property: StoredProperty) -> Bool {
    properties.contains { owner in
      if case .toOne = owner.role { property.name == Property.nameOfPlaces(in: owner.name) } else { false }
    }
  }
}
