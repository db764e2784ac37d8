import RepriseObjectModel

/// Ties the models of this process to the numbers of a store.
package final class SchemaMap: Sendable {
  package let revision: UInt32
  package let schema: ResolvedSchema
  package let stored: StoredSchema
  private let maps: [EntityName: EntityMap]
  private let mapsByNumber: [UInt32: EntityMap]
  private let namesByNumber: [UInt32: EntityName]
  private let numbersByName: [EntityName: UInt32]
  private let hiddenReferences: [UInt32: [HiddenReference]]

  /// `stored` must hold every entity and property of `schema`.
  package init(_ schema: ResolvedSchema, _ stored: StoredSchema) {
    self.schema = schema
    self.stored = stored
    revision = stored.revision
    var maps: [EntityName: EntityMap] = [:]
    var mapsByNumber: [UInt32: EntityMap] = [:]
    var namesByNumber: [UInt32: EntityName] = [:]
    var numbersByName: [EntityName: UInt32] = [:]
    for entity in stored.entities {
      let name = EntityName(entity.name)
      namesByNumber[entity.number] = name
      numbersByName[name] = entity.number
      guard let model = schema.byName[name], let map = EntityMap(model, entity) else { continue }
      maps[name] = map
      mapsByNumber[entity.number] = map
    }
    self.maps = maps
    self.mapsByNumber = mapsByNumber
    self.namesByNumber = namesByNumber
    self.numbersByName = numbersByName
    hiddenReferences = HiddenReference.all(maps.values)
  }

  package var all: some Collection<EntityMap> { maps.values }
  package func map(_ name: EntityName) -> EntityMap? { maps[name] }
  package func map(number: UInt32) -> EntityMap? { mapsByNumber[number] }
  package func name(number: UInt32) -> EntityName? { namesByNumber[number] }
  package func number(_ name: EntityName) -> UInt32? { numbersByName[name] }
  /// What may refer to objects of an entity without this process's models saying so.
  func hiddenReferences(to entity: UInt32) -> [HiddenReference] { hiddenReferences[entity] ?? [] }
}

/// Ties the slots of one model to the numbers of its properties.
package final class EntityMap: Sendable {
  package let entity: Entity
  package let number: UInt32
  /// By slot; 0 for a property that stores nothing in the record (a to-many, or the derived end of a one-to-one).
  package let numbers: [UInt32]
  /// By slot.
  package let indexes: [UInt32?]
  /// By slot: what an object has whose record says nothing.
  package let defaults: ContiguousArray<PropertyValue>
  /// The properties that records hold, by ascending number.
  package let stored: [StoredSlot]
  /// Properties with an index that the store knows and the model does not have. Their indexes must stay right: a
  /// model may have them again.
  let hiddenIndexes: [StoredProperty]
  private let slots: [UInt32: Int]

  package struct StoredSlot: Sendable {
    package let number: UInt32
    package let slot: Int
  }

  package init?(_ entity: Entity, _ stored: StoredEntity) {
    self.entity = entity
    number = stored.number
    var numbers: [UInt32] = []
    var indexes: [UInt32?] = []
    var slots: [UInt32: Int] = [:]
    var defaults: ContiguousArray<PropertyValue> = []
    for (slot, property) in entity.properties.enumerated() {
      guard let match = stored.property(named: property.name) else { return nil }
      switch match.role {
      case .attribute, .toOne(_, _, _, stores: true):
        numbers.append(match.number)
        slots[match.number] = slot
      case .toMany, .toOne:
        numbers.append(0)
      }
      indexes.append(match.index)
      defaults.append(match.defaultValue)
    }
    self.numbers = numbers
    self.indexes = indexes
    self.slots = slots
    let names = Set(entity.properties.map(\.name))
    hiddenIndexes = stored.properties.filter { $0.index != nil && !names.contains($0.name) }
    self.defaults = defaults
    self.stored = slots.map { StoredSlot(number: $0.key, slot: $0.value) }.sorted { $0.number < $1.number }
  }

  /// The slot of a stored property; `nil` for one that this process's model does not have.
  package func slot(_ number: UInt32) -> Int? { slots[number] }
}
