import RepriseObjectModel

/// Maps this process's models to the numbers of a store.
@usableFromInline
package final class SchemaMap: Sendable {
  package let revision: UInt32
  package let schema: ResolvedSchema
  package let stored: StoredSchema
  package let all: [EntityMap]
  @usableFromInline let maps: EntityTable<EntityMap>
  @usableFromInline let numbers: EntityTable<UInt32>
  /// By ascending number.
  private let entities: [Numbered]
  private let hiddenReferences: [UInt32: [HiddenReference]]
  package let uniqueIndexes: [UniqueIndex]
  /// Whether the models have relationships with rules that saves are checked for.
  package let hasRelationshipRules: Bool
  /// Whether any model has rules for whole objects.
  package let validates: Bool
  /// The version of a search index that a newer program has built, with words that this one does not find.
  package let newerWords: UInt32?
  /// The reason why a program with these models must stop using the store, or `nil`.
  package let refusal: StoreError?
  /// Whether there is a ``refusal``. Every read checks this, and looking at an optional error costs 100 instructions.
  package let isRefused: Bool
  /// The collations with a locale that indexes of the store have, in the models or not.
  package let localeCollations: [Collation]

  /// `stored` must hold every entity and property of `schema`.
  package init(_ schema: ResolvedSchema, _ stored: StoredSchema) {
    self.stored = stored
    revision = stored.revision
    newerWords = stored.newerWords
    let match = SchemaMatch(schema, stored)
    refusal = stored.refusal(of: schema, match) ?? stored.retirement(of: schema, match)
    isRefused = refusal != nil
    localeCollations = stored.localeCollations
    var maps = EntityTable<EntityMap>()
    var numbers = EntityTable<UInt32>()
    entities = stored.entities.enumerated().map { place, entity in
      // If the models lack a many-to-many relationship, the map still has its links, to delete them with their objects.
      let known =
        match.entity(at: place).map { schema.entities[$0] }
        ?? (!entity.name.isEmpty && stored.isLink(entity) ? Entity(linksNamed: entity.name, properties: []) : nil)
      let name = known?.interned ?? EntityName(entity.lastName)
      let map = known.flatMap { EntityMap($0, entity) }
      if !entity.name.isEmpty || stored.entity(named: entity.lastName) == nil { numbers.set(name, entity.number) }
      if let map { maps.set(name, map) }
      return Numbered(number: entity.number, name: name, map: map)
    }
    self.maps = maps
    self.numbers = numbers
    all = entities.compactMap(\.map)
    var known = schema
    known.unreadyIndexes = []
    for map in all where !map.unreadySlots.isEmpty {
      known.unreadyIndexes += map.unreadySlots.map { ResolvedSchema.UnreadyIndex(map.entity, slot: $0) }
    }
    self.schema = known
    hasRelationshipRules = schema.hasRelationshipRules
    validates = schema.entities.contains { $0.validation != nil }
    uniqueIndexes = all.flatMap(\.uniqueIndexes)
    hiddenReferences = HiddenReference.all(all)
  }

  /// The map without models.
  package static let none = SchemaMap(ResolvedSchema(), StoredSchema())

  /// The schema that a program knew before a newer program excluded it from the store. The objects in memory need this
  /// schema, because the present one may lack their models.
  package init(_ known: SchemaMap, refusedBy next: SchemaMap) {
    revision = next.revision
    schema = known.schema
    stored = known.stored
    all = known.all
    maps = known.maps
    numbers = known.numbers
    entities = known.entities
    hiddenReferences = known.hiddenReferences
    uniqueIndexes = known.uniqueIndexes
    hasRelationshipRules = known.hasRelationshipRules
    validates = known.validates
    newerWords = known.newerWords
    refusal = next.refusal
    isRefused = next.isRefused
    localeCollations = known.localeCollations
  }

  // A class, because all arrays of objects share one type, which needs no instantiation at start-up.
  private final class Numbered: Sendable {
    let number: UInt32
    let name: EntityName
    let map: EntityMap?

    init(number: UInt32, name: EntityName, map: EntityMap?) {
      self.number = number
      self.name = name
      self.map = map
    }
  }

  /// The entities of links.
  package var links: Set<EntityName> { Set(all.lazy.filter(\.entity.isLink).map(\.entity.interned)) }

  @inlinable package func map(_ name: EntityName) -> EntityMap? { maps[name] }
  package func map(number: UInt32) -> EntityMap? { index(of: number).flatMap { entities[$0].map } }
  package func name(number: UInt32) -> EntityName? { index(of: number).map { entities[$0].name } }
  @inlinable package func number(_ name: EntityName) -> UInt32? { numbers[name] }

  /// The entity that had this name, according to the log.
  package func entity(formerlyNamed name: String) -> Entity? {
    stored.entities.first { $0.formerNames.contains(name) }.flatMap { map(number: $0.number)?.entity }
  }

  /// The relationships that may refer to objects of an entity but are not in this process's models.
  package func hiddenReferences(to entity: UInt32) -> [HiddenReference] { hiddenReferences[entity] ?? [] }

  private func index(of number: UInt32) -> Int? {
    let index = entities.partitionPoint { $0.number >= number }
    return index < entities.count && entities[index].number == number ? index : nil
  }
}

extension Property {
  /// Whether the property has a counted index.
  fileprivate var wantsIndex: Bool { isIndex || attribute?.isIndexed ?? false }
}

/// Maps the slots of one model to the numbers of its properties.
@usableFromInline
package final class EntityMap: Sendable {
  package let entity: Entity
  package let number: UInt32
  /// By slot. 0 for a property that stores nothing in a record: a to-many, the derived end of a one-to-one, an index.
  @usableFromInline package let numbers: [UInt32]
  /// By slot.
  package let indexes: IndexNumbers
  /// By slot: the value of a property that is not in the record.
  package let defaults: ContiguousArray<PropertyValue>
  /// The properties that records hold, by ascending number.
  package let stored: [StoredSlot]
  /// Whether records of this entity can hold references.
  package let refers: Bool
  /// Indexes that are in the store's schema but not in the model. They must be maintained, because another model may
  /// use them.
  package let hiddenIndexes: [HiddenIndex]
  /// The unique indexes, whether the model has them or not.
  package let uniqueIndexes: [UniqueIndex]
  /// The slots of the model's indexes that are being built.
  let unreadySlots: [Int]
  /// The numbers of the indexes that keep history, whether the model has them or not. Most often none.
  package let histories: [UInt32]
  /// The attributes that hold blobs.
  package let blobSlots: [Int]
  /// Whether the store may have derived attributes of this entity that the model lacks, or computes otherwise than
  /// another program.
  package let mayLackDerivations: Bool

  /// The numbers of indexes, by slot. `nil` for a property without one.
  @usableFromInline package struct IndexNumbers: Sendable {
    // 0 means no index. An array of integers, unlike an array of optionals, needs no type instantiation at start-up.
    @usableFromInline private(set) var numbers: [UInt32] = []

    @inlinable package var indices: Range<Int> { numbers.indices }
    @inlinable package subscript(slot: Int) -> UInt32? { numbers[slot] == 0 ? nil : numbers[slot] }

    fileprivate mutating func append(_ number: UInt32?) { numbers.append(number ?? 0) }
  }

  package struct StoredSlot: Sendable {
    package let number: UInt32
    package let slot: Int
  }

  package init?(_ entity: Entity, _ stored: StoredEntity) {
    self.entity = entity
    number = stored.number
    var numbers: [UInt32] = []
    var indexes = IndexNumbers()
    var known: [StoredSlot] = []
    var defaults: ContiguousArray<PropertyValue> = []
    var unready: [Int] = []
    var histories: [UInt32] = []
    let places = stored.places(of: entity)
    for place in places {
      guard place >= 0 else { return nil }
      let match = stored.properties[place]
      switch match.role {
      case .attribute, .toOne(_, _, _, stores: true):
        numbers.append(match.number)
        known.append(StoredSlot(number: match.number, slot: numbers.count - 1))
      case .toMany, .toOne, .columns, .words:
        numbers.append(0)
      }
      if match.index == nil, entity.properties[numbers.count - 1].wantsIndex { unready.append(numbers.count - 1) }
      if match.keepsHistory, let index = match.index { histories.append(index) }
      indexes.append(match.index)
      defaults.append(match.defaultValue)
    }
    self.numbers = numbers
    self.indexes = indexes
    unreadySlots = unready
    blobSlots = known.map(\.slot).filter { entity.properties[$0].attribute?.kind == .blob }
    mayLackDerivations =
      entity.derives || entity.isLink
      || stored.properties.indices.contains { place in
        if case .attribute = stored.properties[place].role { !places.contains(place) } else { false }
      }
    hiddenIndexes = stored.properties.indices.compactMap { place in
      places.contains(place) ? nil : HiddenIndex(stored.properties[place], of: stored)
    }
    for hidden in hiddenIndexes where hidden.property.keepsHistory { histories.append(hidden.index.number) }
    self.histories = histories
    uniqueIndexes = stored.properties.compactMap { property in
      UniqueIndex(property, of: stored) { number in places.firstIndex { stored.properties[$0].number == number } }
    }
    self.defaults = defaults
    refers = known.contains { entity.properties[$0.slot].attribute == nil }
    // They usually are in order, since new properties are numbered as they are added.
    let isSorted = known.indices.dropFirst().allSatisfy { known[$0 - 1].number < known[$0].number }
    if !isSorted { known.sort { $0.number < $1.number } }
    self.stored = known
  }

  /// Whether an index of this entity keeps history.
  package func keepsHistory(_ index: UInt32) -> Bool { !histories.isEmpty && histories.contains(index) }

  /// Whether records hold the property's value.
  @inlinable package func stores(_ slot: Int) -> Bool { numbers.indices.contains(slot) && numbers[slot] != 0 }

  /// The version of the computation with which this program derives a stored attribute. `nil` if it does not derive it.
  package func derivation(of property: UInt32) -> UInt32? {
    slot(property).flatMap { entity.properties[$0].attribute?.derivation?.version }
  }

  /// The slot of a stored property. `nil` if this process's model lacks it.
  package func slot(_ number: UInt32) -> Int? {
    let index = stored.partitionPoint { $0.number >= number }
    return index < stored.count && stored[index].number == number ? stored[index].slot : nil
  }
}
