import RepriseObjectModel

/// A term with its names resolved to slots.
struct CompiledTerm: Hashable, Sendable {
  /// A to-one relationship along the path.
  struct Hop: Hashable, Sendable {
    let slot: Int
    let stores: Bool
  }

  enum End: Hashable, Sendable {
    case attribute(slot: Int, AttributeKind)
    case toOne(slot: Int, stores: Bool, target: EntityName)
    case count(slot: Int)
    /// The ID of the fetched object.
    case id(EntityName)
    case computed(Computation)
  }

  let hops: [Hop]
  let end: End
  /// The order for comparing its values. Binary for all values except texts.
  private(set) var collation = Collation.binary
  /// The present stored form for each stored form of earlier versions of an attribute's type.
  private(set) var formerForms: [PropertyValue: PropertyValue] = [:]
  /// The type of an attribute.
  private(set) var type: ExactType?
  /// The slot of the fetched object that holds the value, which most terms have. -1 if there is none.
  private let ownSlot: Int

  init(_ term: Term, of entity: Entity, in schema: ResolvedSchema) throws(FetchError) {
    if term.isComputed || term.path.isEmpty && !term.isCount {
      hops = []
      ownSlot = -1
      end = term.isComputed ? .computed(try Computation(term, of: entity, in: schema)) : .id(entity.interned)
      return
    }
    var path = try ResolvedPath(term.path, of: entity, in: schema) { term.description }
    let property = path.property
    if term.isCount {
      guard property.isToMany else { throw path.error(FetchError.notToMany) }
      end = .count(slot: path.slot)
    } else if let attribute = property.attribute {
      end = .attribute(slot: path.slot, attribute.kind)
      formerForms = attribute.type.formerForms
      type = ExactType(type: attribute.type)
      if attribute.kind == .string { collation = term.collation }
      guard collation.isKnown else {
        throw .unknownLocale(term: term.description, locale: collation.locale.string)
      }
    } else {
      guard let hop = path.hop() else { throw path.error(FetchError.notAnAttribute) }
      end = .toOne(slot: hop.slot, stores: hop.stores, target: path.entity.interned)
    }
    hops = path.hops
    ownSlot =
      switch end {
      case .attribute(let slot, _) where path.hops.isEmpty: slot
      case .toOne(let slot, true, _) where path.hops.isEmpty: slot
      default: -1
      }
  }

  /// The slot, if the term is an attribute of the fetched object itself.
  var ownAttribute: Int? { if hops.isEmpty, case .attribute(let slot, _) = end { slot } else { nil } }

  /// The slot, if the term is a relationship whose target the fetched object itself stores.
  var ownReference: Int? { if hops.isEmpty, case .toOne(let slot, true, _) = end { slot } else { nil } }

  /// The same term, compared in another order, if it is a text.
  func collated(_ collation: Collation) -> CompiledTerm {
    var term = self
    if kind == .string { term.collation = collation }
    return term
  }

  /// The kind of the values. `nil` for objects.
  var kind: AttributeKind? {
    switch end {
    case .attribute(_, let kind): kind
    case .count: .int
    case .computed(let computation): computation.kind
    case .toOne, .id: nil
    }
  }

  /// The value of the term for an object. Null if a reference on the path is missing.
  func value(_ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource) -> PropertyValue {
    if ownSlot >= 0 { return ownSlot < values.count ? values[ownSlot] : .null }
    guard hops.isEmpty else {
      guard let (values, id) = follow(hops[...], values, id, source) else { return .null }
      return endValue(values, id, source)
    }
    return endValue(values, id, source)
  }

  /// The value in the form for binary comparison.
  func key(_ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource) -> PropertyValue {
    collation.key(of: value(values, id, source))
  }

  private func endValue(
    _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource
  ) -> PropertyValue {
    switch end {
    case .attribute(let slot, _), .toOne(let slot, true, _): values.indices.contains(slot) ? values[slot] : .null
    case .toOne(let slot, false, _): source.members(of: id, slot: slot).first.map { .reference($0) } ?? .null
    case .count(let slot): .int(Int64(source.members(of: id, slot: slot).count))
    case .id: .reference(id)
    case .computed(let computation): computation.value(values, id, source)
    }
  }
}

/// The type of an attribute. Equal only to the identical type.
struct ExactType: Hashable, Sendable {
  let type: any AttributeValue.Type

  static func == (left: ExactType, right: ExactType) -> Bool {
    ObjectIdentifier(left.type) == ObjectIdentifier(right.type)
  }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

/// A to-many relationship whose members a condition tests.
struct CompiledMembers: Hashable, Sendable {
  let hops: [CompiledTerm.Hop]
  let slot: Int
  let target: Entity
  /// The slot of the target, or of the links, that stores the owner of a member.
  let inverseSlot: Int
  /// The links of a many-to-many, which lead to the members. `nil` for other relationships.
  let links: Links?

  struct Links: Hashable, Sendable {
    let relationship: ResolvedSchema.Relationship
    /// The slot of a link with the reference to the member.
    let slot: Int

    var entity: Entity { relationship.target }

    static func == (lhs: Links, rhs: Links) -> Bool { lhs.entity === rhs.entity && lhs.slot == rhs.slot }
    func hash(into hasher: inout Hasher) { hasher.combine(slot) }
  }

  init(_ path: [String], of entity: Entity, in schema: ResolvedSchema) throws(FetchError) {
    let path = try ResolvedPath(path, of: entity, in: schema) { path.joined(separator: ".") }
    guard path.property.isToMany, let relationship = schema.relationship(path.slot, of: path.entity) else {
      throw path.error(FetchError.notToMany)
    }
    hops = path.hops
    slot = path.slot
    target = relationship.destination
    inverseSlot = relationship.inverseSlot
    links = relationship.far.map { Links(relationship: relationship, slot: $0.slot) }
  }

  /// The members. Empty if a reference on the path is missing.
  func members(
    _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource
  ) -> [AnyObjectID] {
    guard let owner = hops.isEmpty ? id : end(values, id, source) else { return [] }
    let members = source.members(of: owner, slot: slot)
    guard let links else { return members }
    return members.compactMap { source.values(of: $0)?[links.slot].reference }
  }

  /// The object whose members these are. `nil` if a reference on the path is missing.
  func end(
    _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource
  ) -> AnyObjectID? {
    follow(hops[...], values, id, source)?.1
  }
}

/// The object at the end of to-one relationships.
private func follow(
  _ hops: ArraySlice<CompiledTerm.Hop>, _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID,
  _ source: some FetchSource
) -> (ContiguousArray<PropertyValue>, AnyObjectID)? {
  var (values, id) = (values, id)
  for hop in hops {
    let next =
      hop.stores
      ? (values.indices.contains(hop.slot) ? values[hop.slot].reference : nil)
      : source.members(of: id, slot: hop.slot).first
    guard let next, let found = source.values(of: next) else { return nil }
    (values, id) = (found, next)
  }
  return (values, id)
}

extension CompiledTerm {
  /// The error that a term is not an attribute. It names the entity that has the last property.
  static func notAnAttribute(_ term: Term, of entity: Entity, in schema: ResolvedSchema) -> FetchError {
    let path = try? ResolvedPath(term.path, of: entity, in: schema) { term.description }
    return path?.error(FetchError.notAnAttribute)
      ?? .notAnAttribute(term: term.description, entity: entity.name, property: term.path.last ?? "")
  }

  /// The attribute of a term, if some stored values of its kind do not belong to its type. `nil` also for a computed
  /// term.
  static func narrow(
    _ term: Term, of entity: Entity, in schema: ResolvedSchema
  ) throws(FetchError) -> Property.AttributeDescription? {
    if term.isComputed || term.isCount || term.path.isEmpty { return nil }
    let path = try ResolvedPath(term.path, of: entity, in: schema) { term.description }
    return path.property.attribute.flatMap { $0.readsEveryValue ? nil : $0 }
  }
}

/// A path that is resolved through the schema up to its last name.
private struct ResolvedPath {
  private let description: () -> String
  private let schema: ResolvedSchema
  /// The entity of the last property.
  private(set) var entity: Entity
  private(set) var hops: [CompiledTerm.Hop] = []
  private(set) var slot = 0

  init(
    _ names: [String], of entity: Entity, in schema: ResolvedSchema, description: @escaping () -> String
  ) throws(FetchError) {
    self.description = description
    self.schema = schema
    self.entity = entity
    slot = try find(names.first ?? "")
    for name in names.dropFirst() {
      let here = self
      guard let hop = hop() else { throw here.error(FetchError.notToOne) }
      hops.append(hop)
      slot = try find(name)
    }
  }

  var property: Property { entity.properties[slot] }

  /// Follows a to-one relationship to its target. `nil` if the property is not one.
  mutating func hop() -> CompiledTerm.Hop? {
    guard !property.isToMany, let relationship = schema.relationship(slot, of: entity) else { return nil }
    defer { entity = relationship.target }
    return CompiledTerm.Hop(slot: slot, stores: relationship.stores)
  }

  func error(_ make: (_ term: String, _ entity: String, _ property: String) -> FetchError) -> FetchError {
    make(description(), entity.name, property.name)
  }

  private func find(_ name: String) throws(FetchError) -> Int {
    guard let slot = entity.slot(everNamed: name) else {
      throw .unknownProperty(term: description(), entity: entity.name, property: name)
    }
    return slot
  }
}
