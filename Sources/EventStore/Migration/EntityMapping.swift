import RepriseObjectModel

/// Turns objects of one entity into objects of another, splits an entity, or merges two: a step of a ``Migration``.
///
/// The forms correspond to Core Data's entity mappings. A mapping copies the properties that have the same name in both
/// entities, if the models declare them in the new entity. A former name (`was:`) counts, too. List properties that get
/// another name or are computed. Use the names of the version before the migration. If an older store has other names,
/// list them in the migration: see ``Rename``.
///
/// References follow: a reference to a mapped object leads to its new object, if a relationship of the models allows
/// it. An object that only changes its entity keeps its UUID.
public struct EntityMapping: Sendable {
  enum Form {
    /// The objects of the source become objects of the target.
    case move
    /// A part of each object becomes an object of the target, and the relationship leads to it.
    case extract(through: String)
    /// The object that the relationship leads to becomes a part of each object.
    case inline(through: String)
  }

  let form: Form
  let source: String
  let target: String
  /// The new names of properties, by their names in the entity that has the value before.
  var renamed: [String: String] = [:]
  /// The attributes that an extraction carries over.
  var moved: [String] = []
  var assignments: [Assignment] = []
  var condition: (@Sendable (MappedObject) throws -> Bool)?

  /// A computed attribute of the new object.
  public struct Assignment: Sendable {
    let property: Property
    let compute: @Sendable (MappedObject) throws -> PropertyValue

    /// Computes an attribute of the new object from the old object.
    ///
    /// - Parameters:
    ///   - property: The attribute's name in the entity of the new object.
    ///   - type: The type of the attribute.
    ///   - compute: Makes the value from the object before the mapping. If it throws, the opening throws
    ///     ``StoreError/migration(_:)`` with the reason, and nothing is migrated. A thread of the library calls it
    ///     twice for each object, the first time before anything is written.
    public init<Value: AttributeValue>(
      _ property: String, _ type: Value.Type, _ compute: @escaping @Sendable (MappedObject) throws -> Value
    ) {
      self.property = .attribute(property, type)
      self.compute = { try compute($0).propertyValue }
    }
  }

  /// Turns objects of one entity into objects of another: all objects, or all that meet a condition. Several such
  /// mappings in one migration split an entity, or merge several into one.
  ///
  /// ```swift
  /// Migration(
  ///   to: 2, "Cats and dogs are pets",
  ///   mapping: [
  ///     .move("Cat", to: "Pet", setting: [.init("kind", String.self) { _ in "cat" }]),
  ///     .move("Dog", to: "Pet", setting: [.init("kind", String.self) { _ in "dog" }]),
  ///   ])
  /// ```
  ///
  /// Each object keeps its UUID. It also keeps each attribute and relationship that the new entity has in the models
  /// under the same name, or under the name in `renaming`. If no model has the old entity any more, the migration
  /// removes the entity. If an object of such an entity then meets none of the conditions, the opening throws
  /// ``StoreError/migration(_:)``, and nothing is migrated.
  ///
  /// - Parameters:
  ///   - source: The entity's name in the store.
  ///   - target: The name of the other entity, which may have objects already.
  ///   - renaming: New names of attributes and relationships, by their names in the source.
  ///   - assignments: Attributes that are computed instead of carried over.
  ///   - condition: Whether an object moves; all objects if it is omitted. If several mappings have the same source,
  ///     the first one whose condition is true takes the object. The migration calls it like the closures of the
  ///     assignments, and also when it handles an object that refers to this object.
  public static func move(
    _ source: String, to target: String, renaming: [String: String] = [:], setting assignments: [Assignment] = [],
    where condition: (@Sendable (MappedObject) throws -> Bool)? = nil
  ) -> EntityMapping {
    EntityMapping(
      form: .move, source: source, target: target, renamed: renaming, assignments: assignments, condition: condition)
  }

  /// Turns a part of each object into an object of another entity, with a relationship between the two.
  ///
  /// ```swift
  /// .extract("Address", from: "Person", as: "address", moving: ["street", "city"])
  /// ```
  ///
  /// An object whose relationship already leads to an object stays as it is.
  ///
  /// - Parameters:
  ///   - target: The entity of the new objects, which may have objects already.
  ///   - source: The entity's name in the store.
  ///   - relationship: The name of the relationship in the model of the source.
  ///   - attributes: The attributes that move to the new object. The source loses each attribute that its model no
  ///     longer declares.
  ///   - renaming: New names of these attributes, by their names in the source.
  ///   - assignments: Attributes of the new object that are computed.
  ///   - condition: Whether a source object gets an object of the target. Without a condition, every source object gets
  ///     one.
  public static func extract(
    _ target: String, from source: String, as relationship: String, moving attributes: [String],
    renaming: [String: String] = [:], setting assignments: [Assignment] = [],
    where condition: (@Sendable (MappedObject) throws -> Bool)? = nil
  ) -> EntityMapping {
    EntityMapping(
      form: .extract(through: relationship), source: source, target: target, renamed: renaming, moved: attributes,
      assignments: assignments, condition: condition)
  }

  /// Moves the attributes of a related object into the object that refers to it, through a to-one relationship. It is
  /// the opposite of ``extract(_:from:as:moving:renaming:setting:where:)``.
  ///
  /// ```swift
  /// .inline("Address", into: "Person", through: "address")
  /// ```
  ///
  /// An attribute moves if the model of the source declares it. If no model has the target entity any more, the
  /// migration deletes all its objects, even objects that nothing refers to.
  ///
  /// - Parameters:
  ///   - target: The name in the store of the entity that the relationship leads to.
  ///   - source: The entity's name in the store.
  ///   - relationship: The name in the store of the to-one relationship of the source.
  ///   - renaming: New names of attributes, by their names in the target.
  public static func inline(
    _ target: String, into source: String, through relationship: String, renaming: [String: String] = [:]
  ) -> EntityMapping {
    EntityMapping(form: .inline(through: relationship), source: source, target: target, renamed: renaming)
  }

  private init(
    form: Form, source: String, target: String, renamed: [String: String], moved: [String] = [],
    assignments: [Assignment] = [], condition: (@Sendable (MappedObject) throws -> Bool)? = nil
  ) {
    self.form = form
    self.source = source
    self.target = target
    self.renamed = renamed
    self.moved = moved
    self.assignments = assignments
    self.condition = condition
  }

  /// The name in the new entity of a property of the old one.
  func name(_ old: String) -> String { renamed[old] ?? old }
}

extension EntityMapping: CustomStringConvertible {
  /// The mapping as text. For example, "Cat to Pet", "Address from Person" or "Address into Person".
  public var description: String {
    switch form {
    case .move: "\(source) to \(target)"
    case .extract: "\(target) from \(source)"
    case .inline: "\(target) into \(source)"
    }
  }
}

/// An object before a mapping, with the names of its properties at that time.
public struct MappedObject: Sendable {
  /// The ID of the object before the mapping.
  public let id: AnyObjectID
  let values: [String: PropertyValue]

  /// The stored value of an attribute, or the reference of a to-one relationship; null if there is no such property.
  public subscript(name: String) -> PropertyValue { values[name] ?? .null }

  /// The value of an attribute; `nil` if there is no such attribute, or its value has another type.
  public func value<Value: AttributeValue>(_ name: String, as type: Value.Type = Value.self) -> Value? {
    Value.from(self[name])
  }
}
