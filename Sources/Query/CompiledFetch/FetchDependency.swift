import RepriseObjectModel

/// A property of another object that a condition or an order reads: a property of objects of another entity (or of the
/// same one), and the way back from them to the fetched objects.
///
/// If no dependency has an entity and a property, their change cannot affect the result, except for the fetched objects
/// themselves.
package struct FetchDependency: Hashable, Sendable {
  /// A relationship on the way from a fetched object, by slot of the object at its near end.
  package struct Hop: Hashable, Sendable {
    package let slot: Int
    /// The other end, by slot of the object there.
    package let inverseSlot: Int
    /// Whether the near end has the reference. If not, the far end has it.
    package let stores: Bool
  }

  package enum Read: Hashable, Sendable {
    /// A stored property of the objects at the end of the way.
    case value(slot: Int)
    /// Whether there is an object at the end of the way: a reference may lead to one that is gone.
    case existence
    /// The members of a relationship of the objects at the end of the way: those whose reference in `slot` leads there.
    case members(slot: Int)
  }

  /// The entity whose changes matter: the entity of the objects at the end of the way, or of their members.
  package let entity: EntityName
  package let read: Read
  /// The way from the fetched object. Empty only for its own members.
  package let hops: [Hop]
  /// The fetched object's own property, through which it reads this.
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
  /// A kind of object that the fetch reads, and the way there.
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
      // A derived end has no object that is gone: its members would have changed.
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
    // Changes of the fetched object's own values are seen without this.
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
