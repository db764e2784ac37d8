import RepriseObjectModel

/// The additions to a store's schema before it can hold objects of these models: most often none.
package struct SchemaReconciliation: Sendable {
  /// The stored schema with all additions.
  package let schema: StoredSchema
  /// New entities, with all their properties.
  package let newEntities: [StoredEntity]
  /// New properties of existing entities, and properties that gained an index.
  package let newProperties: [(entity: StoredEntity, property: StoredProperty)]
  /// The unique indexes of ``newEntities`` and ``newProperties``, and the unique indexes whose rule became stricter.
  package let newUniqueIndexes: [(entity: StoredEntity, property: StoredProperty)]
  /// The indexes that no property has any more: those with the words that an older version of ``SearchWords`` found.
  package let obsoleteIndexes: [UInt32]
  /// The indexes over large entities, to build in slices. The schema has their properties without a number.
  package let unbuiltIndexes: [UnbuiltIndex]
  /// The indexes over large entities to build again, because their rows are outdated. Either the collation's order has
  /// changed, or a search index has words from an older version of ``SearchWords``. By property, with the former index,
  /// whose rows are removed first.
  package let renewedIndexes: [(property: UInt32, index: UInt32?)]
  /// The additions of the models for which the store has an unclaimed candidate of the same type.
  package let possibleRenames: [PossibleRename]

  private let revision: UInt32

  package var isEmpty: Bool { schema.revision == revision }

  /// - Throws: ``StoreError``: a stored entity with references has no model, a property changed in a way that needs a
  ///   migration, or names have a new meaning.
  ///
  /// - Parameters:
  ///   - large: The entities with so many objects that indexes over them are built in slices, by number.
  ///   - taken: The numbers of indexes that are being built.
  ///   - outdated: The collations whose order has changed. Indexes over large entities are built again.
  ///   - uncomputed: The derived attributes that objects lack. New indexes over them are built later.
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
    let additions = try SchemaAdditions(
      models, match, stored, large: large, taken: taken, outdated: outdated, uncomputed: uncomputed)
    schema = additions.schema
    newEntities = additions.newEntities
    newProperties = additions.newProperties
    newUniqueIndexes = additions.newUniqueIndexes
    obsoleteIndexes = additions.obsoleteIndexes
    unbuiltIndexes = additions.unbuiltIndexes
    renewedIndexes = additions.renewedIndexes
    possibleRenames = stored.possibleRenames(in: models, match)
  }

  /// If two properties had the same name one after the other, an older store may not show which of the two it has.
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
}

extension StoredSchema {
  /// Whether the entity or one of its properties had another name.
  fileprivate var isRenamed: Bool {
    entities.contains { !$0.formerNames.isEmpty || $0.properties.contains { !$0.formerNames.isEmpty } }
  }
}

extension StoredEntity {
  /// Whether its objects can refer to objects.
  var refers: Bool {
    !name.isEmpty && properties.contains { if case .toOne(_, _, _, stores: true) = $0.role { true } else { false } }
  }
}
