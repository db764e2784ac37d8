/// The description of one model: its name, and its properties by slot.
///
/// A slot is the place of a property in ``properties``; it means something in this process only. The store knows
/// properties by numbers of its own, and finds them by name.
public final class Entity: Sendable {
  /// The name in the store, in object IDs and in URIs.
  public let name: String
  /// Attributes, relationships and indexes over several of them, by slot.
  public let properties: [Property]
  /// The names that it had in earlier versions of the model.
  package let formerNames: [String]
  package let interned: EntityName
  package let model: any PersistentModel.Type
  /// The values of an object about which nothing was recorded, by slot.
  @usableFromInline package let defaults: ContiguousArray<PropertyValue>
  /// The indexes that are properties of their own.
  package let indexes: [EntityIndex]

  /// Describes `Model`. Keep it in a static constant: two descriptions of one model are two entities.
  ///
  /// - Parameter formerNames: The names that it had in earlier versions of the model. A store that knows it by one of
  ///   them calls it by its present name from the next opening on, at no cost for its objects; IDs and URIs with an
  ///   earlier name still lead to them.
  public init<Model: PersistentModel>(
    _ model: Model.Type, name: String, was formerNames: String..., properties: [Property]
  ) {
    self.name = name
    self.formerNames = formerNames
    self.properties = properties
    self.model = model
    interned = EntityName(name)
    var defaults: ContiguousArray<PropertyValue> = []
    defaults.reserveCapacity(properties.count)
    for property in properties { defaults.append(property.defaultValue) }
    self.defaults = defaults
    indexes = properties.indices.compactMap { EntityIndex($0, of: properties) }
  }

  /// The attribute or relationship with this name.
  package func slot(named name: String) -> Int? { properties.firstIndex { $0.name == name && !$0.isIndex } }

  /// The attribute or relationship that has this name or, if none has, that had it: archives have the names of their
  /// time.
  package func slot(everNamed name: String) -> Int? {
    slot(named: name) ?? properties.firstIndex { $0.formerNames.contains(name) }
  }

  /// Whether a name is that of this entity, or was.
  package func isEverNamed(_ name: String) -> Bool { self.name == name || formerNames.contains(name) }

  /// The index that is the property in `slot`; `nil` for any other property.
  package func index(_ slot: Int) -> EntityIndex? { indexes.first { $0.slot == slot } }

  package func makeObject(_ storage: ObjectStorage) -> any PersistentModel { model.init(_storage: storage) }
}

extension Entity: Hashable {
  /// Whether the two are one description.
  public static func == (lhs: Entity, rhs: Entity) -> Bool { lhs === rhs }
  /// Feeds the identity into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
