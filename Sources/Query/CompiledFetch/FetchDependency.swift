import RepriseObjectModel

/// A property of other objects that a condition or an order reads, and the relationships from those back to the fetched
/// objects.
///
/// If no dependency has a certain property of an entity, its changes cannot affect the result, except for the fetched
/// objects themselves.
package struct FetchDependency: Hashable, Sendable {
  /// A relationship on the path from a fetched object to the other object. `slot` belongs to the object nearer to the
  /// fetched one.
  package struct Hop: Hashable, Sendable {
    package let slot: Int
    /// The slot of the other end, in the farther object.
    package let inverseSlot: Int
    /// Whether the nearer object has the reference. Otherwise the farther one has it.
    package let stores: Bool
  }

  package enum Read: Hashable, Sendable {
    /// A stored property of the objects at the end of the path.
    case value(slot: Int)
    /// Whether the object at the end of the path exists. A reference may lead to a deleted one.
    case existence
    /// The members of a relationship of the objects at the end of the path. `slot` is the members' reference to these
    /// objects.
    case members(slot: Int)
  }

  /// The entity whose changes affect the result: the entity of the objects at the end of the path, or of their members.
  package let entity: EntityName
  package let read: Read
  /// The path from the fetched object. Empty only for members of the fetched object's relationships.
  package let hops: [Hop]
  /// The fetched object's property that begins the path.
  package let property: Int
}

extension CompiledFetch {
  /// The objects and properties that condition, order and rows read, in addition to the fetched objects themselves.
  package func dependencies(in schema: ResolvedSchema) -> Set<FetchDependency> {
    guard readsOtherObjects || !shown.isEmpty else { return [] }
    var search = DependencySearch(schema: schema)
    let start = DependencySearch.Place(entity: entity, hops: [])
    search.add(condition, start)
    for sort in sorts { search.add(sort.term, start) }
    for term in shown { search.add(term, start) }
    if let grouping { search.add(grouping.term, start) }
    return search.found
  }
}

private struct DependencySearch {
  /// An entity whose objects the fetch reads, and the path to them.
  struct Place {
    let entity: Entity
    let hops: [FetchDependency.Hop]
  }

  let schema: ResolvedSchema
  private(set) var found: Set<FetchDependency> = []

  init(schema: ResolvedSchema) { self.schema = schema }

  mutating func add(_ condition: CompiledCondition, _ place: Place) {
    switch condition {
    case .constant: break
    case .not(let condition): add(condition, place)
    case .and(let conditions), .or(let conditions): for condition in conditions { add(condition, place) }
    case .compare(let term, _, _), .isIn(let term, _), .text(let term, _): add(term, place)
    case .compareTerms(let left, _, let right):
      add(left, place)
      add(right, place)
    case .any(let members, let condition), .all(let members, let condition):
      let owner = follow(members.hops, from: place)
      addMembers(members.slot, of: owner)
      guard let member = step(members.slot, from: owner) else { break }
      if let links = members.links {
        if let far = step(links.slot, from: member) { add(condition, far) }
      } else {
        add(condition, member)
      }
    }
  }

  mutating func add(_ term: CompiledTerm, _ place: Place) {
    let place = follow(term.hops, from: place)
    switch term.end {
    case .attribute(let slot, _), .toOne(let slot, true, _): addValue(slot, of: place)
    case .toOne(let slot, false, _), .count(let slot): addMembers(slot, of: place)
    case .id: break
    case .computed(let computation): for term in computation.terms { add(term, place) }
    }
  }

  private mutating func follow(_ hops: [CompiledTerm.Hop], from place: Place) -> Place {
    var place = place
    for hop in hops {
      if hop.stores { addValue(hop.slot, of: place) } else { addMembers(hop.slot, of: place) }
      guard let next = step(hop.slot, from: place) else { return place }
      place = next
      // A derived end cannot lead to a deleted object, because its members would have changed.
      if hop.stores { insert(place.entity.interned, .existence, place.hops, through: hop.slot) }
    }
    return place
  }

  private func step(_ slot: Int, from place: Place) -> Place? {
    guard let end = schema.relationship(slot, of: place.entity) else { return nil }
    let hop = FetchDependency.Hop(slot: slot, inverseSlot: end.inverseSlot, stores: end.stores)
    return Place(entity: end.target, hops: place.hops + [hop])
  }

  private mutating func addValue(_ slot: Int, of place: Place) {
    // Changes of the fetched object's own values need no dependency.
    if !place.hops.isEmpty { insert(place.entity.interned, .value(slot: slot), place.hops, through: slot) }
  }

  private mutating func addMembers(_ slot: Int, of place: Place) {
    guard let end = schema.relationship(slot, of: place.entity) else { return }
    insert(end.target.interned, .members(slot: end.inverseSlot), place.hops, through: slot)
  }

  private mutating func insert(
    _ entity: EntityName, _ read: FetchDependency.Read, _ hops: [FetchDependency.Hop], through slot: Int
  ) {
    found.insert(FetchDependency(entity: entity, read: read, hops: hops, property: hops.first?.slot ?? slot))
  }
}
