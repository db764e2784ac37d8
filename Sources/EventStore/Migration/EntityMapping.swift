import RepriseObjectModel

/// Objects that become objects of another entity, or of two, or of one: a step of a ``Migration``.
///
/// The forms are those of Core Data's entity mappings. What has the same name in both entities is taken over, as far as
/// the models declare it at the new place, also as a former name (`was:`). What has another name, or is computed, is
/// listed. Names are those of the version before. If an older store has others, list them in the migration: see
/// ``Rename``.
///
/// References follow: what pointed at an object points at what became of it, as the relationships of the models say. An
/// object that only changes its entity keeps its UUID.
public struct EntityMapping: Sendable {
  enum Form {
    /// The objects of the source become objects of the target.
    case move
    /// A part of each object becomes an object of the target, to which the relationship leads.
    case extract(through: String)
    /// What the relationship leads to, objects of the target, becomes a part of each object.
    case inline(through: String)
  }

  let form: Form
  let source: String
  let target: String
  /// By the name in the entity that has the value before.
  var renamed: [String: String] = [:]
  /// The attributes that an extraction takes along.
  var moved: [String] = []
  var assignments: [Assignment] = []
  var condition: (@Sendable (MappedObject) throws -> Bool)?

  /// An attribute of the new object, computed from the old one.
  public struct Assignment: Sendable {
    let property: Property
    let compute: @Sendable (MappedObject) throws -> PropertyValue

    /// An attribute that is computed.
    ///
    /// - Parameters:
    ///   - property: Its name in the entity of the new object.
    ///   - compute: Makes the value of the object as it was. What it throws ends the migration, as ``MigrationError``.
    ///     Called on a thread of the library, twice for each object: once before anything is written.
    public init<Value: AttributeValue>(
      _ property: String, _ type: Value.Type, _ compute: @escaping @Sendable (MappedObject) throws -> Value
    ) {
      self.property = .attribute(property, type)
      self.compute = { try compute($0).propertyValue }
    }
  }

  /// The objects of one entity become objects of another: all of them, or those that meet a condition. Several such
  /// mappings of one migration split an entity, or merge several into one.
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
  /// Each object keeps its UUID, its attributes and its relationships, as far as the models of the new entity have them
  /// by the same name, or by the one that `renaming` gives. An entity that no model has any more is gone afterwards: if
  /// an object meets none of the conditions, nothing is migrated.
  ///
  /// - Parameters:
  ///   - source: The entity's name in the store.
  ///   - target: The name of the other entity, which may have objects already.
  ///   - renaming: Attributes and relationships of the source that have other names in the target.
  ///   - assignments: Attributes that are computed, instead of taken over.
  ///   - condition: Which objects move; the first of several mappings of an entity that takes an object has it. Called
  ///     as the assignments are, and for what refers to the object as well. Left out, it is all of them.
  public static func move(
    _ source: String, to target: String, renaming: [String: String] = [:], setting assignments: [Assignment] = [],
    where condition: (@Sendable (MappedObject) throws -> Bool)? = nil
  ) -> EntityMapping {
    EntityMapping(
      form: .move, source: source, target: target, renamed: renaming, assignments: assignments, condition: condition)
  }

  /// A part of each object becomes an object of another entity, with a relationship between them.
  ///
  /// ```swift
  /// .extract("Address", from: "Person", as: "address", moving: ["street", "city"])
  /// ```
  ///
  /// An object that the relationship leads from already stays as it is.
  ///
  /// - Parameters:
  ///   - target: The entity of the new objects, which may have objects already.
  ///   - source: The entity's name in the store.
  ///   - relationship: The name that the models give the relationship at the side of the source.
  ///   - attributes: Those that go to the new object. The source loses them, unless its model declares them still.
  ///   - renaming: Those of them that have other names in the target.
  ///   - assignments: Attributes of the new object that are computed.
  ///   - condition: Which objects get one; left out, all do.
  public static func extract(
    _ target: String, from source: String, as relationship: String, moving attributes: [String],
    renaming: [String: String] = [:], setting assignments: [Assignment] = [],
    where condition: (@Sendable (MappedObject) throws -> Bool)? = nil
  ) -> EntityMapping {
    EntityMapping(
      form: .extract(through: relationship), source: source, target: target, renamed: renaming, moved: attributes,
      assignments: assignments, condition: condition)
  }

  /// What a to-one leads to becomes a part of each object.
  ///
  /// ```swift
  /// .inline("Address", into: "Person", through: "address")
  /// ```
  ///
  /// The attributes that the model of the source declares are taken over. If no model has the other entity any more,
  /// its objects are deleted, also those that nothing leads to.
  ///
  /// - Parameters:
  ///   - target: The name in the store of the entity that the relationship leads to.
  ///   - source: The entity's name in the store.
  ///   - relationship: The name of the to-one in the store, at the side of the source.
  ///   - renaming: Attributes of the target that have other names in the source.
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

  /// The name that a property of the old entity has in the new one.
  func name(_ old: String) -> String { renamed[old] ?? old }
}

extension EntityMapping: CustomStringConvertible {
  /// As in "Cat to Pet", "Address from Person" and "Address into Person".
  public var description: String {
    switch form {
    case .move: "\(source) to \(target)"
    case .extract: "\(target) from \(source)"
    case .inline: "\(target) into \(source)"
    }
  }
}

/// An object as it was before a mapping, by the names of its time.
public struct MappedObject: Sendable {
  /// Its identity before.
  public let id: AnyObjectID
  let values: [String: PropertyValue]

  /// The stored value of an attribute, or the reference of a to-one; null if there is no such property.
  public subscript(name: String) -> PropertyValue { values[name] ?? .null }

  /// The value of an attribute; `nil` if it is of another type, or there is none.
  public func value<Value: AttributeValue>(_ name: String, as type: Value.Type = Value.self) -> Value? {
    Value.from(self[name])
  }
}
