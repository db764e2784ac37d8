import RepriseObjectModel

/// Adds the entities and properties of the models that a store's schema lacks, and determines the consequences for its
/// indexes.
struct SchemaAdditions {
  private let models: ResolvedSchema
  private let stored: StoredSchema
  private let match: SchemaMatch
  private let large: Set<UInt32>
  private let outdated: [Collation]
  private let uncomputed: [OutdatedDerivation]
  // Assigned first, because a relationship refers to the number of its inverse.
  private var entityNumbers = EntityTable<UInt32>()
  private var propertyNumbers = EntityTable<[UInt32]>()
  private var nextIndex: UInt32

  private(set) var schema: StoredSchema
  private(set) var newEntities: [StoredEntity] = []
  private(set) var newProperties: [(entity: StoredEntity, property: StoredProperty)] = []
  private(set) var newUniqueIndexes: [(entity: StoredEntity, property: StoredProperty)] = []
  private(set) var obsoleteIndexes: [UInt32] = []
  private(set) var unbuiltIndexes: [UnbuiltIndex] = []
  private(set) var renewedIndexes: [(property: UInt32, index: UInt32?)] = []

  /// The parameters are the same as in ``SchemaReconciliation``.
  init(
    _ models: ResolvedSchema, _ match: SchemaMatch, _ stored: StoredSchema, large: Set<UInt32>, taken: [UInt32],
    outdated: [Collation], uncomputed: [OutdatedDerivation]
  ) throws(StoreError) {
    self.models = models
    self.stored = stored
    self.match = match
    self.large = large
    self.outdated = outdated
    self.uncomputed = uncomputed
    schema = stored
    nextIndex = ((stored.entities.flatMap(\.properties).compactMap(\.index) + taken).max() ?? 0) + 1
    assignNumbers()
    for (place, entity) in models.entities.enumerated() { try add(entity, place) }
    schema.entities.heapSort { $0.number < $1.number }
    try schema.checkNames(models)
    if schema.entities != stored.entities { schema.revision += 1 }
  }

  private mutating func assignNumbers() {
    var nextEntity = (stored.entities.map(\.number).max() ?? 0) + 1
    var nextProperty = (stored.entities.flatMap(\.properties).map(\.number).max() ?? 0) + 1
    for (place, entity) in models.entities.enumerated() {
      let known = match.stored(place, stored)
      entityNumbers.set(entity.interned, known?.number ?? nextEntity)
      if known == nil { nextEntity += 1 }
      let numbers = entity.properties.indices.map { slot in
        if let known, let property = match.property(place, slot) { return known.properties[property].number }
        defer { nextProperty += 1 }
        return nextProperty
      }
      propertyNumbers.set(entity.interned, numbers)
    }
  }

  private mutating func add(_ entity: Entity, _ place: Int) throws(StoreError) {
    let known = match.stored(place, stored)
    let number = entityNumbers[entity.interned] ?? 0
    var described = known ?? StoredEntity(number: number, name: entity.name, properties: [])
    described.follow(entity, match, place)
    let renamed = described.properties
    let isLarge = large.contains(number)
    let uncomputed = uncomputed.first { $0.entity === entity }
    var added: [StoredProperty] = []
    var unique: [StoredProperty] = []
    var isChanged = described != known
    for (slot, property) in entity.properties.enumerated() {
      let relationship = models.relationship(slot, of: entity)
      var declared = StoredProperty(
        number: propertyNumbers[entity.interned]?[slot] ?? 0, name: property.name,
        role: role(property, of: entity, relationship), index: nil, defaultValue: property.defaultValue)
      if property.isIndex { declared.keepsHistory = entity.index(slot)?.keepsHistory ?? false }
      let before = match.property(place, slot).map { renamed[$0] }
      let isLater = isLarge || uncomputed?.concerns(slot) ?? false
      var wanted = declared
      if let before {
        guard before.fits(declared) else {
          throw .incompatible(
            entity: entity.name, property: declared.name, stored: stored.text(of: before.role),
            model: relationship.map { models.text(of: $0) } ?? declared.role.text)
        }
        wanted = widened(before, as: declared, isLarge: isLarge, isLater: isLater)
      }
      let needsIndex = property.isIndex || property.attribute?.isIndexed ?? (relationship?.stores ?? false)
      var isAdded = before == nil
      // A new to-one has no rows, and an older one has had its index from the beginning.
      if needsIndex, isLater, relationship == nil {
        let uniqueness = max(declared.role.uniqueness, wanted.role.uniqueness)
        let isRequired = uniqueness > .none || models.orders(slot, of: entity)
        buildLater(&wanted, of: number, uniqueness, isRequired: isRequired)
      } else if needsIndex, wanted.index == nil {
        wanted.index = nextIndex
        nextIndex += 1
        isAdded = true
      }
      if isAdded { added.append(wanted) }
      if described.properties.contains(wanted) { continue }
      isChanged = true
      if wanted.role.uniqueness > .none { unique.append(wanted) }
      described.properties.removeAll { $0.number == wanted.number }
      described.properties.append(wanted)
    }
    described.properties.heapSort { $0.number < $1.number }
    if known == nil {
      newEntities.append(described)
      schema.entities.append(described)
    } else if isChanged {
      newProperties += added.map { (described, $0) }
      newUniqueIndexes += unique.map { (described, $0) }
      schema.entities.removeAll { $0.number == described.number }
      schema.entities.append(described)
    }
  }

  /// A stored property with the additions of the models' declaration. If its index must be built again, the result has
  /// no index.
  private mutating func widened(
    _ before: StoredProperty, as declared: StoredProperty, isLarge: Bool, isLater: Bool
  ) -> StoredProperty {
    var wanted = before
    // Recorded in the log, so that other programs know that the attribute is no longer required.
    if declared.isOptional {
      wanted.role = declared.role
      wanted.wasRequired = before.wasRequired || wanted.widens(before)
    }
    // If a model declares no history, a weaker rule or none, the store keeps the history and the stricter rule.
    if declared.keepsHistory { wanted.keepsHistory = true }
    if declared.role.uniqueness > before.role.uniqueness && !isLater { wanted.role = declared.role }
    if isLarge, let index = before.index, before.localeCollations.contains(where: outdated.contains) {
      wanted.index = nil
      renewedIndexes.append((before.number, index))
    }
    if case .words = declared.role, before.role != declared.role {
      wanted.role = declared.role
      wanted.index = nil
      if isLarge {
        renewedIndexes.append((before.number, before.index))
      } else if let index = before.index {
        obsoleteIndexes.append(index)
      }
    }
    return wanted
  }

  /// Leaves an index to be built in slices, unless the store already has the index with its rule.
  private mutating func buildLater(
    _ property: inout StoredProperty, of entity: UInt32, _ uniqueness: Uniqueness, isRequired: Bool
  ) {
    guard property.index == nil || uniqueness > property.role.uniqueness else { return }
    // The rule comes with the index. An index that is there keeps the weaker rule until then.
    if property.index == nil { property.role = property.role.held(to: .none) }
    unbuiltIndexes.append(
      UnbuiltIndex(entity: entity, property: property.number, uniqueness: uniqueness, isRequired: isRequired))
  }

  private func role(
    _ property: Property, of entity: Entity, _ relationship: ResolvedSchema.Relationship?
  ) -> StoredProperty.Role {
    func number(_ name: String) -> UInt32 {
      entity.slot(named: name).flatMap { propertyNumbers[entity.interned]?[$0] } ?? 0
    }
    switch property.role {
    case .attribute(let attribute): return .attribute(attribute.kind, isOptional: attribute.isOptional)
    case .index(.columns(let columns, let uniqueness, _)):
      return .columns(
        columns.map { StoredColumn(property: number($0.name), collation: $0.collation) }, uniqueness: uniqueness)
    case .index(.words(let attribute)): return .words(attribute: number(attribute), version: SearchWords.version)
    case .toOne, .toMany: break
    }
    guard let relationship else { return .attribute(.bool, isOptional: true) }
    let target = entityNumbers[relationship.target.interned] ?? 0
    let inverse = propertyNumbers[relationship.target.interned]?[relationship.inverseSlot] ?? 0
    return relationship.isToMany
      ? .toMany(target: target, inverse: inverse, deleteRule: relationship.deleteRule)
      : .toOne(target: target, inverse: inverse, deleteRule: relationship.deleteRule, stores: relationship.stores)
  }
}

extension StoredProperty {
  /// Whether a model's declaration of this property needs no migration. A delete rule may change freely, because it
  /// only affects later deletions. The stored type may not change. A program from before an attribute became optional
  /// may still declare it as required. If the words of an index are of an older version, the index is built again.
  fileprivate func fits(_ model: StoredProperty) -> Bool {
    switch (role, model.role) {
    case (.attribute(let old, let wasOptional), .attribute(let new, let isOptional)):
      old == new && (isOptional || !wasOptional || wasRequired)
    case (.toOne(let old, let oldInverse, _, let stored), .toOne(let new, let newInverse, _, let stores)):
      old == new && oldInverse == newInverse && stored == stores
    case (.toMany(let old, let oldInverse, _), .toMany(let new, let newInverse, _)):
      old == new && oldInverse == newInverse
    case (.columns(let old, _), .columns(let new, _)):
      old == new
    case (.words(let old, let oldVersion), .words(let new, let version)):
      old == new && oldVersion <= version
    default: false
    }
  }
}

extension ResolvedSchema {
  /// Whether the index in a slot has the order of the members of a relationship.
  fileprivate func orders(_ slot: Int, of entity: Entity) -> Bool {
    entity.keepsPlaces && relationships(of: entity).contains { $0.stores && $0.places?.index == slot }
  }
}

extension StoredSchema {
  /// A rename must not give a name twice. Otherwise it would hide a property that has always had the name.
  fileprivate func checkNames(_ models: ResolvedSchema) throws(StoreError) {
    if let name = entities.repeatedName {
      let was = models.byName[EntityName(name)]?.formerNames ?? []
      throw .ambiguousRename(entity: name, property: nil, was: was)
    }
    for entity in entities {
      guard let name = entity.properties.repeatedName else { continue }
      let model = models.byName[EntityName(entity.name)]
      let was = model?.properties.first { $0.name == name }?.formerNames ?? []
      throw .ambiguousRename(entity: entity.name, property: name, was: was)
    }
  }
}

extension [StoredEntity] {
  fileprivate var repeatedName: String? { map(\.name).repeatedName }
}

extension [StoredProperty] {
  fileprivate var repeatedName: String? { map(\.name).repeatedName }
}

extension [String] {
  fileprivate var repeatedName: String? {
    var names: Set<String> = []
    return first { !$0.isEmpty && !names.insert($0).inserted }
  }
}
