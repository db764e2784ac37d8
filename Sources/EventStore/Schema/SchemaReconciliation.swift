import RepriseObjectModel

/// The additions to a store's schema before it can hold objects of these models: most often none.
package struct SchemaReconciliation: Sendable {
  /// The stored schema with all additions.
  package let schema: StoredSchema
  /// New entities, with all their properties.
  package let newEntities: [StoredEntity]
  /// New properties of existing entities, and properties that gained an index.
  package let newProperties: [(entity: StoredEntity, property: StoredProperty)]
  /// The unique indexes among these, and those whose rule became stricter.
  package let newUniqueIndexes: [(entity: StoredEntity, property: StoredProperty)]
  /// The indexes that no property has any more: those with the words that an older version of ``SearchWords`` found.
  package let obsoleteIndexes: [UInt32]
  /// The indexes over large entities that are to be built in slices. The schema has their properties without a number.
  package let unbuiltIndexes: [UnbuiltIndex]
  /// Those of other words or in another order before, by the number of the property, and the index that it had: its
  /// rows are removed first.
  package let renewedIndexes: [(property: UInt32, index: UInt32?)]
  /// What the models add beside something of the same type that no model names.
  package let possibleRenames: [PossibleRename]

  private let revision: UInt32

  package var isEmpty: Bool { schema.revision == revision }

  /// - Throws: ``StoreError``: a stored entity that refers to others has no model, a property changed in a way that
  ///   needs a migration, or names mean something else than they did.
  ///
  /// - Parameters:
  ///   - large: The entities with so many objects that indexes over them are built in slices, by number.
  ///   - taken: The numbers of indexes that are being built.
  ///   - outdated: The collations whose order is another one by now: indexes over large entities are built anew.
  ///   - uncomputed: What the objects do not have yet, so that new indexes over it are to be built later.
  package init(
    _ models: ResolvedSchema, _ stored: StoredSchema, large: Set<UInt32> = [], taken: [UInt32] = [],
    outdated: [Collation] = [], uncomputed: [OutdatedDerivation] = []
  ) throws(StoreError) {
    revision = stored.revision
    let match = SchemaMatch(models, stored)
    if let refusal = stored.refusal(of: models, match) { throw refusal }
    if stored.isRenamed { try Self.checkClaims(of: models, match, stored) }
    if outdated.isEmpty, stored.holds(models, match) {
      schema = stored
      newEntities = []
      newProperties = []
      newUniqueIndexes = []
      obsoleteIndexes = []
      unbuiltIndexes = []
      renewedIndexes = []
      possibleRenames = []
      return
    }
    let missing = stored.entities.indices.filter { match.entity(at: $0) == nil }.map { stored.entities[$0] }
      .filter { $0.refers && !stored.isLink($0) }
    try Self.checkClaims(of: models, match, stored)
    guard missing.isEmpty else {
      throw .missingModels(missing.map(\.name), given: models.entities.filter { !$0.isLink }.map(\.name))
    }
    var result = stored
    var nextEntity = (stored.entities.map(\.number).max() ?? 0) + 1
    let properties = stored.entities.flatMap(\.properties)
    var nextProperty = (properties.map(\.number).max() ?? 0) + 1
    var nextIndex = ((properties.compactMap(\.index) + taken).max() ?? 0) + 1

    // Numbers are assigned first, because a relationship refers to its inverse's.
    var entityNumbers = EntityTable<UInt32>()
    var propertyNumbers = EntityTable<[UInt32]>()
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

    var newEntities: [StoredEntity] = []
    var newProperties: [(StoredEntity, StoredProperty)] = []
    var newUniqueIndexes: [(StoredEntity, StoredProperty)] = []
    var obsoleteIndexes: [UInt32] = []
    var unbuiltIndexes: [UnbuiltIndex] = []
    var renewedIndexes: [(property: UInt32, index: UInt32?)] = []
    for (place, entity) in models.entities.enumerated() {
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
        let number = propertyNumbers[entity.interned]?[slot] ?? 0
        let before = match.property(place, slot).map { renamed[$0] }
        let relationship = models.relationship(slot, of: entity)
        var wanted = StoredProperty(
          number: number, name: property.name,
          role: Self.role(property, of: entity, relationship, entityNumbers, propertyNumbers), index: nil,
          defaultValue: property.defaultValue)
        let isLater = isLarge || uncomputed?.concerns(slot) ?? false
        let declared = wanted.role.uniqueness
        let needsIndex = property.isIndex || property.attribute?.isIndexed ?? (relationship?.stores ?? false)
        if let before {
          guard Self.fits(before, wanted) else {
            throw .incompatible(
              entity: entity.name, property: wanted.name, stored: stored.text(of: before.role),
              model: relationship.map { models.text(of: $0) } ?? wanted.role.text)
          }
          let role = wanted.role
          wanted = before
          // Recorded in the log, so that no program takes the attribute for a required one.
          if property.attribute?.isOptional == true {
            wanted.role = role
            wanted.wasRequired = before.wasRequired || wanted.widens(before)
          }
          // A model that declares a weaker rule, or none, does not take the stricter one back.
          if declared > before.role.uniqueness && !isLater { wanted.role = role }
          if isLarge, let index = before.index, before.localeCollations.contains(where: outdated.contains) {
            wanted.index = nil
            renewedIndexes.append((number, index))
          }
          if case .words = role, before.role != role {
            wanted.role = role
            wanted.index = nil
            if isLarge {
              renewedIndexes.append((number, before.index))
            } else if let index = before.index {
              obsoleteIndexes.append(index)
            }
          }
        }
        let uniqueness = max(declared, wanted.role.uniqueness)
        // A to-one that is new has no rows, and others always had their index.
        let isSliced = isLater && relationship == nil && needsIndex
        if isSliced, wanted.index == nil || uniqueness > wanted.role.uniqueness || before == nil {
          // The rule comes with the index. An index that is there keeps the weaker rule until then.
          if wanted.index == nil { wanted.role = wanted.role.held(to: .none) }
          unbuiltIndexes.append(
            UnbuiltIndex(
              entity: entityNumbers[entity.interned] ?? 0, property: number, uniqueness: uniqueness,
              isRequired: uniqueness > .none || models.orders(slot, of: entity)))
          if before == nil { added.append(wanted) }
        } else if needsIndex && wanted.index == nil {
          wanted.index = nextIndex
          nextIndex += 1
          added.append(wanted)
        } else if before == nil {
          added.append(wanted)
        }
        if described.properties.contains(wanted) { continue }
        isChanged = true
        if wanted.role.uniqueness > .none { unique.append(wanted) }
        described.properties.removeAll { $0.number == number }
        described.properties.append(wanted)
      }
      described.properties.sort { $0.number < $1.number }
      if known == nil {
        newEntities.append(described)
        result.entities.append(described)
      } else if isChanged {
        newProperties += added.map { (described, $0) }
        newUniqueIndexes += unique.map { (described, $0) }
        result.entities.removeAll { $0.number == described.number }
        result.entities.append(described)
      }
    }
    result.entities.sort { $0.number < $1.number }
    try Self.checkNames(of: result, models)
    if result.entities != stored.entities { result.revision += 1 }
    schema = result
    self.newEntities = newEntities
    self.newProperties = newProperties
    self.newUniqueIndexes = newUniqueIndexes
    self.obsoleteIndexes = obsoleteIndexes
    self.unbuiltIndexes = unbuiltIndexes
    self.renewedIndexes = renewedIndexes
    possibleRenames = stored.possibleRenames(in: models, match)
  }

  /// Of two that had one name in turn, the store may not tell which of them it has: it is of a version before both.
  private static func checkClaims(
    of models: ResolvedSchema, _ match: SchemaMatch, _ stored: StoredSchema
  ) throws(StoreError) {
    var claimed: Set<Int> = []
    for place in match.entities.indices where match.entities[place] >= 0 {
      let entity = models.entities[place]
      guard claimed.insert(match.entities[place]).inserted else {
        throw .ambiguousRename(entity: entity.name, property: nil, was: entity.formerNames)
      }
      var properties: Set<Int> = []
      for (slot, property) in entity.properties.enumerated() {
        guard let found = match.property(place, slot), !properties.insert(found).inserted else { continue }
        throw .ambiguousRename(entity: entity.name, property: property.name, was: property.formerNames)
      }
    }
  }

  /// A rename must not give a name twice: what has it already, and was never called otherwise, would be hidden.
  private static func checkNames(of schema: StoredSchema, _ models: ResolvedSchema) throws(StoreError) {
    if let name = schema.entities.repeatedName {
      let was = models.byName[EntityName(name)]?.formerNames ?? []
      throw .ambiguousRename(entity: name, property: nil, was: was)
    }
    for entity in schema.entities {
      guard let name = entity.properties.repeatedName else { continue }
      let model = models.byName[EntityName(entity.name)]
      let was = model?.properties.first { $0.name == name }?.formerNames ?? []
      throw .ambiguousRename(entity: entity.name, property: name, was: was)
    }
  }

  private static func role(
    _ property: Property, of entity: Entity, _ relationship: ResolvedSchema.Relationship?,
    _ entities: EntityTable<UInt32>, _ properties: EntityTable<[UInt32]>
  ) -> StoredProperty.Role {
    func number(_ name: String) -> UInt32 {
      entity.slot(named: name).flatMap { properties[entity.interned]?[$0] } ?? 0
    }
    switch property.role {
    case .attribute(let attribute): return .attribute(attribute.kind, isOptional: attribute.isOptional)
    case .index(.columns(let columns, let uniqueness)):
      return .columns(
        columns.map { StoredColumn(property: number($0.name), collation: $0.collation) }, uniqueness: uniqueness)
    case .index(.words(let attribute)): return .words(attribute: number(attribute), version: SearchWords.version)
    case .toOne, .toMany: break
    }
    guard let relationship else { return .attribute(.bool, isOptional: true) }
    let target = entities[relationship.target.interned] ?? 0
    let inverse = properties[relationship.target.interned]?[relationship.inverseSlot] ?? 0
    return relationship.isToMany
      ? .toMany(target: target, inverse: inverse, deleteRule: relationship.deleteRule)
      : .toOne(target: target, inverse: inverse, deleteRule: relationship.deleteRule, stores: relationship.stores)
  }

  /// A delete rule may change freely, because it only affects later deletions. The stored type may not, but earlier
  /// programs take an attribute that became optional for a required one. The words of an index may be of an older
  /// version: it is built again.
  private static func fits(_ stored: StoredProperty, _ model: StoredProperty) -> Bool {
    switch (stored.role, model.role) {
    case (.attribute(let old, let wasOptional), .attribute(let new, let isOptional)):
      old == new && (isOptional || !wasOptional || stored.wasRequired)
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

extension StoredSchema {
  /// The entity with a search index whose words only a newer version of ``SearchWords`` finds; `nil` if there is none.
  var entityWithNewerWords: String? {
    entities.first { entity in
      entity.properties.contains { property in
        if case .words(_, let version) = property.role { version > SearchWords.version } else { false }
      }
    }?.name
  }

  /// Whether the schema covers these models, so that there is nothing to reconcile. It runs at every launch; if it
  /// returns false, the full comparison follows.
  fileprivate func holds(_ models: ResolvedSchema, _ match: SchemaMatch) -> Bool {
    for (place, entity) in models.entities.enumerated() {
      guard let known = match.stored(place, self), !entity.formerNames.contains(known.name) else { return false }
      for (slot, property) in entity.properties.enumerated() {
        guard let matched = match.property(place, slot).map({ known.properties[$0] }),
          !property.formerNames.contains(matched.name),
          holds(matched, property, models.relationship(slot, of: entity), models, match)
        else { return false }
      }
    }
    return entities.count == models.entities.count
      || entities.indices.allSatisfy { match.entity(at: $0) != nil || !entities[$0].refers }
  }

  /// That columns and inverses are the right ones was told by the match, or is told by the check of the other end.
  private func holds(
    _ stored: StoredProperty, _ model: Property, _ relationship: ResolvedSchema.Relationship?, _ models: ResolvedSchema,
    _ match: SchemaMatch
  ) -> Bool {
    switch (stored.role, model.role) {
    case (.attribute(let kind, let isOptional), .attribute(let attribute)):
      return kind == attribute.kind && (isOptional == attribute.isOptional || isOptional && stored.wasRequired)
        && (stored.index != nil || !attribute.isIndexed)
    case (.toOne(let target, let inverse, _, let stores), .toOne):
      guard let relationship, stores == relationship.stores, stored.index != nil || !stores else { return false }
      return holds(relationship, target: target, inverse: inverse, models, match)
    case (.toMany(let target, let inverse, _), .toMany):
      guard let relationship else { return false }
      return holds(relationship, target: target, inverse: inverse, models, match)
    case (.columns(_, let uniqueness), .index(.columns(_, let declared))):
      return stored.index != nil && uniqueness >= declared
    case (.words(_, let version), .index(.words)):
      return stored.index != nil && version == SearchWords.version
    default: return false
    }
  }

  private func holds(
    _ relationship: ResolvedSchema.Relationship, target: UInt32, inverse: UInt32, _ models: ResolvedSchema,
    _ match: SchemaMatch
  ) -> Bool {
    guard let place = models.entities.firstIndex(where: { $0 === relationship.target }),
      let entity = match.stored(place, self), entity.number == target,
      let property = match.property(place, relationship.inverseSlot)
    else { return false }
    return entity.properties[property].number == inverse
  }

  /// Whether anything had another name.
  fileprivate var isRenamed: Bool {
    entities.contains { !$0.formerNames.isEmpty || $0.properties.contains { !$0.formerNames.isEmpty } }
  }

  /// Why a program with these models must not go on with the store; `nil` if it may.
  func refusal(of models: ResolvedSchema, _ match: SchemaMatch) -> StoreError? {
    if models.version < oldestVersion {
      return .migration(
        .outdatedProgram(version: models.version, oldest: Int(oldestVersion), stored: Int(version)))
    }
    if let moved = entities.movedName(of: models.entities) {
      return .renamedByNewerProgram(moved.name, entity: nil, now: moved.now)
    }
    for (place, entity) in models.entities.enumerated() {
      guard let known = match.stored(place, self) else { continue }
      if known.properties.contains(where: { !$0.formerNames.isEmpty }) {
        // An index is not found by its name.
        let stored = known.properties.filter { !$0.role.isIndex }
        if let moved = stored.movedName(of: entity.properties.filter { !$0.isIndex }) {
          return .renamedByNewerProgram(moved.name, entity: entity.name, now: moved.now)
        }
      }
      // What a newer program has converted has its old name. That program's plan may let this one go on.
      for (slot, property) in entity.properties.enumerated() {
        guard let attribute = property.attribute, let found = match.property(place, slot),
          case .attribute(let kind, _) = known.properties[found].role, kind != attribute.kind
        else { continue }
        return .incompatible(
          entity: entity.name, property: property.name, stored: known.properties[found].role.text,
          model: StoredProperty.Role.attribute(attribute.kind, isOptional: attribute.isOptional).text)
      }
    }
    return nil
  }
}

extension StoredSchema {
  /// Why a running program must not go on after a migration that took away what its models have, whatever the plan says
  /// of older programs; `nil` if it may. A program that opens the store may declare it anew.
  func retirement(of models: ResolvedSchema, _ match: SchemaMatch) -> StoreError? {
    for (place, entity) in models.entities.enumerated() {
      let isGone: Bool
      if let known = match.stored(place, self) {
        isGone = entity.properties.indices.contains { slot in
          match.property(place, slot) == nil
            && known.properties.contains { $0.name.isEmpty && $0.formerNames.contains(entity.properties[slot].name) }
        }
      } else {
        isGone = entities.contains { $0.name.isEmpty && $0.formerNames.contains(entity.name) }
      }
      if !isGone { continue }
      return .migration(
        .outdatedProgram(version: models.version, oldest: models.version + 1, stored: Int(version)))
    }
    return nil
  }
}

extension StoredEntity {
  /// Whether its objects can refer to others.
  fileprivate var refers: Bool {
    !name.isEmpty && properties.contains { if case .toOne(_, _, _, stores: true) = $0.role { true } else { false } }
  }

  /// Takes over the names of a model of this entity, where that says that they were others.
  fileprivate mutating func follow(_ entity: Entity, _ match: SchemaMatch, _ place: Int) {
    if entity.formerNames.contains(name) { rename(to: entity.name) }
    for (slot, property) in entity.properties.enumerated() {
      guard let place = match.property(place, slot), property.formerNames.contains(properties[place].name) else {
        continue
      }
      properties[place].rename(to: property.name)
    }
    nameIndexes()
  }

  /// Renames the indexes whose columns have other names.
  mutating func nameIndexes() {
    for place in properties.indices where !properties[place].name.isEmpty {
      if let name = indexName(properties[place]) { properties[place].rename(to: name) }
    }
  }

  /// The name of an index that is a property of its own, which follows from the names of its columns.
  private func indexName(_ property: StoredProperty) -> String? {
    func name(_ number: UInt32) -> String { self.property(number: number)?.name ?? "" }
    return switch property.role {
    case .columns(let columns, _):
      Property.IndexDescription.name(of: columns.map { IndexColumn(name($0.property), $0.collation) })
    case .words(let attribute, _): Property.IndexDescription.name(ofWordsOf: name(attribute))
    case .attribute, .toOne, .toMany: nil
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

extension ResolvedSchema {
  /// Whether the members of a relationship stand in the order of the index in a slot.
  fileprivate func orders(_ slot: Int, of entity: Entity) -> Bool {
    entity.keepsPlaces && relationships(of: entity).contains { $0.stores && $0.places?.index == slot }
  }
}

extension StoredProperty.Role {
  /// The role in words, for errors.
  package var text: String {
    switch self {
    case .attribute(let kind, let isOptional): isOptional ? "optional \(kind.name)" : kind.name
    case .toOne(let target, _, _, _): "a to-one relationship to entity \(target)"
    case .toMany(let target, _, _): "a to-many relationship to entity \(target)"
    case .columns(let columns, _):
      "an index over the properties \(columns.map { "\($0.property)" }.joined(separator: ", "))"
    case .words(let attribute, let version): "a full-text index over property \(attribute), version \(version)"
    }
  }
}

extension AttributeKind {
  package var name: String {
    switch self {
    case .bool: "Bool"
    case .int: "integer"
    case .unsigned: "unsigned integer"
    case .double: "floating-point number"
    case .string: "String"
    case .bytes: "bytes"
    case .date: "Date"
    case .uuid: "UUID"
    case .blob: "blob"
    }
  }
}
