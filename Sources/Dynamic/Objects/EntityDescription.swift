import RepriseObjectModel

/// An entity that another program describes, so that a tool can make a store with it.
package struct EntityDescription: Equatable, Sendable {
  package let name: String
  package let properties: [PropertyDescription]

  package init(_ name: String, _ properties: [PropertyDescription]) {
    (self.name, self.properties) = (name, properties)
  }

  /// Describes an entity of a store that was opened by a tool.
  package init(_ entity: Entity) {
    self.init(entity.name, entity.declaredProperties.map(PropertyDescription.init))
  }

  /// A schema of described entities. Each entity gets a new model class for the life of the process.
  ///
  /// A relationship whose target is not among the entities is left out.
  package static func schema(_ descriptions: [EntityDescription]) -> Schema {
    var models: [String: any PersistentModel.Type] = [:]
    for description in descriptions { models[description.name] = DynamicClasses.next() }
    var entities: [Entity] = []
    for description in descriptions {
      guard let model = models[description.name] else { continue }
      let made = description.entity(model, models)
      DynamicClasses.set(made, of: model)
      entities.append(made)
    }
    return Schema(entities: entities)
  }

  private func entity<Model: PersistentModel>(
    _ model: Model.Type, _ models: [String: any PersistentModel.Type]
  ) -> Entity {
    var made: [Property] = []
    for property in properties {
      if let property = property.property(at: made.count, of: model, models) { made.append(property) }
    }
    return Entity(model, name: name, properties: made)
  }
}

/// A property of an entity that another program describes.
package struct PropertyDescription: Equatable, Sendable {
  package enum Role: Equatable, Sendable {
    case attribute(AttributeKind, isOptional: Bool, default: PropertyValue, isIndexed: Bool, isDerived: Bool)
    case toOne(String, inverse: String?, DeleteRule)
    case toMany(String, inverse: String?, DeleteRule, isOrdered: Bool)
    case index([IndexColumn], isUnique: Bool, nilsAreEqual: Bool, keepsHistory: Bool)
    case words(String)
  }

  /// The name. Indexes have none.
  package let name: String
  package let role: Role

  package init(_ name: String, _ role: Role) { (self.name, self.role) = (name, role) }

  init(_ property: Property) {
    switch property.role {
    case .attribute(let attribute):
      self.init(
        property.name,
        .attribute(
          attribute.kind, isOptional: attribute.isOptional, default: attribute.defaultValue,
          isIndexed: attribute.isIndexed, isDerived: property.isDerived))
    case .toOne(let end):
      self.init(property.name, .toOne(end.target.entity.name, inverse: end.inverse, end.deleteRule))
    case .toMany(let end):
      self.init(
        property.name,
        .toMany(end.target.entity.name, inverse: end.inverse, end.deleteRule, isOrdered: end.isOrdered))
    case .index(.columns(let columns, let uniqueness, let keepsHistory)):
      self.init(
        "",
        .index(
          columns, isUnique: uniqueness != .none, nilsAreEqual: uniqueness == .nilsAreEqual, keepsHistory: keepsHistory)
      )
    case .index(.words(let attribute)): self.init("", .words(attribute))
    }
  }

  fileprivate func property<Model: PersistentModel>(
    at slot: Int, of model: Model.Type, _ models: [String: any PersistentModel.Type]
  ) -> Property? {
    switch role {
    case .attribute(let kind, let isOptional, let value, let isIndexed, isDerived: false):
      return .attribute(name, kind, isOptional: isOptional, default: value, indexed: isIndexed)
    case .attribute(let kind, let isOptional, let value, let isIndexed, isDerived: true):
      return .derived(name, kind, isOptional: isOptional, default: value, indexed: isIndexed, at: slot, of: model)
    case .toOne(let target, let inverse, let rule):
      guard let target = models[target] else { return nil }
      return .toOne(name, to: target, inverse: inverse, rule)
    case .toMany(let target, let inverse, let rule, let isOrdered):
      guard let target = models[target] else { return nil }
      return .toMany(name, to: target, inverse: inverse, rule, isOrdered: isOrdered)
    case .index(let columns, isUnique: false, _, let keepsHistory): return .index(columns, keepsHistory: keepsHistory)
    case .index(let columns, isUnique: true, let nilsAreEqual, let keepsHistory):
      return .unique(columns, nilsAreEqual: nilsAreEqual, keepsHistory: keepsHistory)
    case .words(let attribute): return .searchIndex(attribute)
    }
  }
}
