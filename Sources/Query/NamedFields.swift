import RepriseObjectModel

// Fields by names that are known only at run time: from a settings file, or a column that a user chose.

extension Field {
  /// The attribute with this name or path of names, such as `"owner.name"`.
  ///
  /// ```swift
  /// let field = try Field<Item, Int>(named: "valueInDollars")
  /// let fetch = Fetch<Item> { _ in field > 10 }
  /// ```
  ///
  /// - Throws: ``FetchError/unknownProperty(term:entity:property:)`` if there is no such property.
  ///   ``FetchError/notToOne(term:entity:property:)`` if the path goes through another kind of property.
  ///   ``FetchError/notAnAttribute(term:entity:property:)`` for a relationship.
  ///   ``FetchError/wrongType(term:expected:found:)`` if the attribute does not store values of `Value`.
  public init(named name: String) throws {
    let named = try NamedProperty(name, of: Model.entity)
    let expected = try named.attribute().kind
    guard expected == Value.attributeKind else {
      throw FetchError.wrongType(
        term: name, expected: expected.zero.typeName, found: Value.attributeKind.zero.typeName)
    }
    self.init(Term(named.path))
  }
}

extension SortKey {
  /// The sort key for the attribute with this name or path of names, of any type.
  ///
  /// - Parameters:
  ///   - name: The name or path.
  ///   - isAscending: The direction.
  ///   - nils: The place of objects without a value. By default, they are first if ascending, and last otherwise.
  ///   - collation: The collation of texts, without effect on other values.
  /// - Throws: ``FetchError``, as ``Field/init(named:)``, except for `wrongType`.
  public init(
    named name: String, isAscending: Bool = true, nils: NilOrder? = nil, collation: Collation = .binary
  ) throws {
    let named = try NamedProperty(name, of: Model.entity)
    let isText = try named.attribute().kind == .string
    self.init(
      term: Term(named.path, collation: isText ? collation : .binary), isAscending: isAscending, nils: nils)
  }
}

extension ToOneField {
  /// The to-one relationship with this name or path of names, such as `"owner.team"`.
  ///
  /// - Throws: ``FetchError/unknownProperty(term:entity:property:)`` if there is no such property.
  ///   ``FetchError/notToOne(term:entity:property:)`` if the name, or another part of the path, is not a to-one
  ///   relationship. ``FetchError/wrongType(term:expected:found:)`` if the relationship refers to another model.
  public init(named name: String) throws {
    let named = try NamedProperty(name, of: Model.entity)
    guard case .toOne(let description) = named.property.role else { throw named.error(FetchError.notToOne) }
    try named.check(description, Target.entity)
    self.init(FieldPath(named.path))
  }
}

extension ToManyField {
  /// The to-many relationship with this name or path of names.
  ///
  /// - Throws: ``FetchError/unknownProperty(term:entity:property:)`` if there is no such property.
  ///   ``FetchError/notToMany(term:entity:property:)`` if the name is not a to-many relationship.
  ///   ``FetchError/notToOne(term:entity:property:)`` if the path goes through another kind of property.
  ///   ``FetchError/wrongType(term:expected:found:)`` if the relationship refers to another model.
  public init(named name: String) throws {
    let named = try NamedProperty(name, of: Model.entity)
    guard case .toMany(let description) = named.property.role else { throw named.error(FetchError.notToMany) }
    try named.check(description, Element.entity)
    self.init(FieldPath(named.path))
  }
}

extension Term {
  /// The attribute or the to-one with this path of names.
  init(ofValueNamed name: String, of entity: Entity) throws(FetchError) {
    let named = try NamedProperty(name, of: entity)
    if named.property.isToMany || named.property.isIndex { throw named.error(FetchError.notAnAttribute) }
    self.init(named.path)
  }
}

/// A path of names, resolved through the models alone, because there is no store here.
private struct NamedProperty {
  let path: [String]
  private let name: String
  private var entity: Entity
  private(set) var property: Property

  init(_ name: String, of entity: Entity) throws(FetchError) {
    self.name = name
    self.entity = entity
    path = name.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    property = try Self.find(path[0], entity, name)
    for next in path.dropFirst() {
      guard case .toOne(let description) = property.role else {
        throw .notToOne(term: name, entity: self.entity.name, property: property.name)
      }
      self.entity = description.target.entity
      property = try Self.find(next, self.entity, name)
    }
  }

  func attribute() throws(FetchError) -> Property.AttributeDescription {
    guard let attribute = property.attribute else { throw error(FetchError.notAnAttribute) }
    return attribute
  }

  func check(_ relationship: Property.RelationshipDescription, _ expected: Entity) throws(FetchError) {
    let found = relationship.target.entity
    guard found === expected else {
      throw .wrongType(
        term: name, expected: "an object of \(found.name)", found: "an object of \(expected.name)")
    }
  }

  func error(_ make: (_ term: String, _ entity: String, _ property: String) -> FetchError) -> FetchError {
    make(name, entity.name, property.name)
  }

  private static func find(_ name: String, _ entity: Entity, _ path: String) throws(FetchError) -> Property {
    guard let slot = entity.slot(everNamed: name) else {
      throw .unknownProperty(term: path, entity: entity.name, property: name)
    }
    return entity.properties[slot]
  }
}
