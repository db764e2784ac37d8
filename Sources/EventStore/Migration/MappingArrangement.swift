import RepriseLog
import RepriseObjectModel

/// Turns the mappings of a migration into the new schema, and into the works on objects (``MigrationState/Work``) that
/// lead to it.
///
/// A property with a new place is declared next to the old one, as the models say. A property without a place is
/// retired.
package struct MappingArrangement {
  let models: ResolvedSchema
  let migration: Migration
  let later: LaterSteps
  private let plan: MigrationPlan
  var schema: StoredSchema
  var works: [MigrationState.Work] = []
  var obsoleteIndexes: [UInt32] = []
  var descents: [Descent] = []
  /// The properties that a mapping leaves behind, and no model has in their old entity.
  var left: [LeftBehind] = []
  /// The properties that another mapping takes along.
  var taken: Set<UInt32> = []
  private var nextProperty: UInt32
  private var nextIndex: UInt32

  /// - taken: The numbers of indexes that have rows but are not in the schema.
  package init(
    _ migration: Migration, of plan: MigrationPlan, _ models: ResolvedSchema, _ schema: StoredSchema, taken: [UInt32]
  ) {
    self.models = models
    self.migration = migration
    self.schema = schema
    self.plan = plan
    later = LaterSteps(of: plan, after: migration.version)
    let properties = schema.entities.flatMap(\.properties)
    nextProperty = (properties.map(\.number).max() ?? 0) + 1
    nextIndex = ((properties.compactMap(\.index) + taken).max() ?? 0) + 1
  }

  package mutating func arrange() throws(StoreError) {
    for conversion in migration.conversions
    where migration.mappings.contains(where: { [$0.source, $0.target].contains(conversion.entity) }) {
      throw fail(
        conversion.entity,
        "the migration also converts \(conversion.property). Convert it in a migration to an earlier version")
    }
    for (place, mapping) in migration.mappings.enumerated() {
      switch mapping.form {
      case .move: try move(mapping, place)
      case .extract(let relationship): try extract(mapping, place, relationship)
      case .inline(let relationship): try inline(mapping, place, relationship)
      }
    }
    schema.descents += descents
    left = left.filter { !taken.contains($0.property.number) }
    dropCarried(plan)
    for number in goneEntities { obsoleteIndexes += schema.retire(entity: number) }
    for place in schema.entities.indices { schema.entities[place].properties.sort { $0.number < $1.number } }
    // Works that change references come first, because they read the objects that the references lead to.
    works = works.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element)
  }

  /// The entities whose objects move and that no model has any more.
  private var goneEntities: [UInt32] {
    var gone: [UInt32] = []
    for work in works where work.shrinks && work.kind != .relink {
      if !gone.contains(work.source), vanishes(work.source) { gone.append(work.source) }
    }
    // Links are removed together with the entity at either end.
    for work in works where work.kind == .relink && !gone.contains(work.source) {
      let ends = entity(work.source).properties.compactMap(\.role.end?.target)
      if ends.contains(where: gone.contains) { gone.append(work.source) }
    }
    return gone
  }

  func fail(_ subject: String, _ reason: String) -> StoreError {
    .migration(.cannotMap(subject, migration: migration.name, reason: reason))
  }

  // MARK: Existing properties

  func model(_ name: String) -> Entity? {
    models.entities.first { !$0.isLink && $0.isEverNamed(name) }
  }

  /// The model that an entity has at the end of the plan.
  func passing(_ name: String) -> PassingModel? { later.model(of: name, in: models) }

  /// The present number of the stored entity that becomes a model of the last version.
  ///
  /// - Parameter likely: The entity to prefer if it becomes the model.
  mutating func number(of model: Entity, likely: UInt32? = nil) -> UInt32 {
    func becomes(_ name: String) -> Bool { !name.isEmpty && passing(name)?.entity === model }
    if let likely, becomes(entity(likely).name), !moves(likely) { return likely }
    if let known = schema.entity(named: model.name) ?? stored(model) { return known.number }
    if let known = schema.entities.first(where: { becomes($0.name) && !moves($0.number) }) { return known.number }
    let coming = migration.mappings.first { becomes($0.target) }
    return target(named: coming?.target ?? model.name)
  }

  /// Whether this migration moves objects of an entity.
  func moves(_ number: UInt32) -> Bool {
    migration.mappings.contains { mapping in
      if case .move = mapping.form { stored(mapping.source)?.number == number } else { false }
    }
  }

  func stored(_ name: String) -> StoredEntity? {
    if let named = schema.entity(named: name) { return named }
    return model(name).flatMap(stored)
  }

  func stored(_ model: Entity) -> StoredEntity? {
    guard let place = models.entities.firstIndex(where: { $0 === model }) else { return nil }
    return SchemaMatch(models, schema).stored(place, schema)
  }

  func entity(_ number: UInt32) -> StoredEntity {
    schema.entity(number: number) ?? StoredEntity(number: number, name: "", properties: [])
  }

  /// Whether no model has an entity any more, and no later migration needs it.
  func vanishes(_ number: UInt32) -> Bool {
    guard let place = schema.entities.firstIndex(where: { $0.number == number }) else { return false }
    let entity = schema.entities[place]
    if entity.name.isEmpty { return true }
    return SchemaMatch(models, schema).entity(at: place) == nil && !later.concern(entity.name)
  }

  // MARK: New properties

  mutating func declare(_ property: StoredProperty, in number: UInt32) {
    guard let place = schema.entities.firstIndex(where: { $0.number == number }) else { return }
    schema.entities[place].properties.append(property)
  }

  mutating func newProperty() -> UInt32 {
    defer { nextProperty += 1 }
    return nextProperty
  }

  mutating func newIndex() -> UInt32 {
    defer { nextIndex += 1 }
    return nextIndex
  }

  mutating func target(named name: String) -> UInt32 {
    if let known = stored(name) { return known.number }
    return newEntity(named: name)
  }

  mutating func newEntity(named name: String) -> UInt32 {
    let number = (schema.entities.map(\.number).max() ?? 0) + 1
    schema.entities.append(StoredEntity(number: number, name: name, properties: []))
    return number
  }

  /// The number of an attribute that receives values. `nil` if its model has none.
  ///
  /// - Parameter isWanted: Whether to declare the attribute even if the model lacks it.
  mutating func attribute(
    _ name: String, _ kind: AttributeKind, isOptional: Bool, default defaultValue: PropertyValue,
    in number: UInt32, _ model: PassingModel?, isWanted: Bool = false
  ) throws(StoreError) -> UInt32? {
    let target = entity(number)
    let slot = model.flatMap { $0.slot(name) }
    var known = target.property(named: name)
    if known == nil, let model, let slot { known = matched(slot, of: model.entity, in: target) }
    if let known {
      guard case .attribute(kind, _) = known.role else {
        throw fail(
          "\(target.name).\(name)",
          "it must hold values of the kind \(kind.name), but it is \(schema.text(of: known.role)) in the store")
      }
      return known.number
    }
    guard model == nil || slot != nil || isWanted else { return nil }
    var (isOptional, defaultValue) = (isOptional, defaultValue)
    if let model, let slot {
      guard let attribute = model.entity.properties[slot].attribute else { return nil }
      if attribute.kind == kind {
        (isOptional, defaultValue) = (attribute.isOptional, attribute.defaultValue)
      } else if !later.concern(target.name) {
        throw fail(
          "\(target.name).\(name)",
          "its values have the kind \(kind.name) in the store and \(attribute.kind.name) in the models, so an "
            + "earlier migration of the plan must convert them")
      }
    }
    let new = newProperty()
    declare(
      StoredProperty(
        number: new, name: name, role: .attribute(kind, isOptional: isOptional), defaultValue: defaultValue),
      in: number)
    return new
  }

  /// The stored property of a model's slot, if the entity is the model's.
  private func matched(_ slot: Int, of model: Entity, in entity: StoredEntity) -> StoredProperty? {
    guard let place = models.entities.firstIndex(where: { $0 === model }) else { return nil }
    let match = SchemaMatch(models, schema)
    guard match.stored(place, schema)?.number == entity.number else { return nil }
    return match.property(place, slot).map { entity.properties[$0] }
  }

  /// The numbers of both ends of a relationship that the models declare.
  mutating func relationship(
    _ name: String, _ end: ResolvedSchema.Relationship, of number: UInt32, _ other: UInt32
  ) -> (here: UInt32, there: UInt32) {
    func known(_ name: String, in number: UInt32, to target: UInt32, _ model: Entity?) -> StoredProperty? {
      let entity = entity(number)
      let named = entity.properties.first { $0.name == name && $0.role.end?.target == target }
      if let named { return named }
      guard let model, let slot = model.slot(everNamed: name) else { return nil }
      return matched(slot, of: model, in: entity).flatMap { $0.role.end?.target == target ? $0 : nil }
    }
    let back = end.target.properties[end.inverseSlot]
    let here = models.relationship(end.inverseSlot, of: end.target)?.target
    if let found = known(name, in: number, to: other, here), let inverse = found.role.end?.inverse {
      return (found.number, inverse)
    }
    let (one, two) = (newProperty(), newProperty())
    let rule = models.relationship(end.inverseSlot, of: end.target)?.deleteRule ?? .nullify
    declare(
      StoredProperty(
        number: one, name: name,
        role: end.isToMany
          ? .toMany(target: other, inverse: two, deleteRule: end.deleteRule)
          : .toOne(target: other, inverse: two, deleteRule: end.deleteRule, stores: end.stores),
        index: end.stores ? newIndex() : nil), in: number)
    declare(
      StoredProperty(
        number: two, name: back.name,
        role: end.inverseIsToMany
          ? .toMany(target: number, inverse: one, deleteRule: rule)
          : .toOne(target: number, inverse: one, deleteRule: rule, stores: !end.stores),
        index: end.stores ? nil : newIndex()), in: other)
    return (one, two)
  }
}

extension MigrationState.Work {
  fileprivate var order: Int {
    switch kind {
    case .follow: 0
    case .relink: 0
    case .move: 1
    case .extract: 2
    case .inline: 3
    case .delete: 4
    }
  }
}
