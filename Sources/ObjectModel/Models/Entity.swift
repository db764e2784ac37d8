import Synchronization

/// The description of a model: its name, and its properties by slot.
///
/// A slot is the index of a property in ``properties``. A slot is valid only in this process. The store has its own
/// numbers for properties, and finds properties by name.
public final class Entity: Sendable {
  /// The model's name in the store, in object IDs and in URIs.
  public let name: String
  /// The names that the entity had in earlier versions of the model.
  package let formerNames: [String]
  package let interned: EntityName
  /// The class of the model's objects.
  ///
  /// A tool for all models can pass it to a generic function, and use fetches and lists of the class there. `AnyField`
  /// makes fields from the names of attributes.
  public let model: any PersistentModel.Type
  /// The declarations of the model, by slot.
  private let declared: Layout
  /// The layout with additional properties. It exists if an ordered relationship of another model leads to this entity,
  /// or if one of its relationships is its own inverse. It is made on first use, because the entity of the other model
  /// may be under construction while this one is made. This is not an `AtomicLazyReference`, which asks the runtime for
  /// its type at each load.
  private let extended = Atomic<Unmanaged<Layout>?>(nil)
  /// Whether the inverse of one of its relationships may be ordered, or a relationship may be its own inverse.
  private let mayBeExtended: Bool

  private final class Layout: Sendable {
    let properties: [Property]
    let defaults: ContiguousArray<PropertyValue>
    let indexes: [EntityIndex]
    let derived: [Int]
    let ruled: [Int]

    init(_ properties: [Property]) {
      self.properties = properties
      var defaults: ContiguousArray<PropertyValue> = []
      defaults.reserveCapacity(properties.count)
      var (derived, ruled): ([Int], [Int]) = ([], [])
      for (slot, property) in properties.enumerated() {
        let attribute = property.attribute
        defaults.append(attribute?.defaultValue ?? .null)
        if attribute?.derivation != nil { derived.append(slot) }
        if attribute?.rules.isEmpty == false { ruled.append(slot) }
      }
      self.defaults = defaults
      self.derived = derived
      self.ruled = ruled
      indexes = properties.indices.compactMap { EntityIndex($0, of: properties) }
    }
  }

  /// The `validate` of the model. `nil` if it has none.
  package let validation: Validation?

  package typealias Validation = @Sendable (any PersistentModel) -> [RuleViolation]

  /// Makes the description of `Model`.
  ///
  /// Keep it in a static constant: each description is a separate entity.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - name: The name in the store, in object IDs and in URIs.
  ///   - formerNames: The model's names in earlier versions of the program. If a store knows the model by one of these,
  ///     opening the store renames it, at no cost per object. IDs and URIs with a former name still find the objects.
  ///   - properties: The attributes, relationships and indexes.
  public convenience init<Model: PersistentModel>(
    _ model: Model.Type, name: String, was formerNames: String..., properties: [Property]
  ) {
    self.init(model, name, formerNames, properties)
  }

  /// Makes the description of a model whose objects validate themselves. Otherwise, it works like the initialiser for
  /// models without validation.
  public convenience init<Model: ValidatableModel>(
    _ model: Model.Type, name: String, was formerNames: String..., properties: [Property]
  ) {
    self.init(model, name, formerNames, properties) { object in
      guard let object = object as? Model else { return [] }
      var violations = Violations(of: object)
      object.validate(&violations)
      return violations.all
    }
  }

  /// The entity of the links of a many-to-many relationship.
  package convenience init(linksNamed name: String, was formerNames: [String] = [], properties: [Property]) {
    self.init(Link.self, name, formerNames, properties)
  }

  private init(
    _ model: any PersistentModel.Type, _ name: String, _ formerNames: [String], _ properties: [Property],
    _ validation: Validation? = nil
  ) {
    self.name = name
    self.formerNames = formerNames
    self.model = model
    self.validation = validation
    interned = EntityName(name)
    declared = Layout(properties)
    mayBeExtended = properties.contains { property in
      switch property.role {
      case .toOne: model != Link.self
      case .toMany(let end): end.inverse == property.name
      case .attribute, .index: false
      }
    }
  }

  deinit { extended.load(ordering: .acquiring)?.release() }

  // Safe: the entity retains it until its end.
  private var layout: Layout {
    mayBeExtended ? extended.load(ordering: .acquiring)?.takeUnretainedValue() ?? extend() : declared
  }

  /// The attributes, relationships and indexes, by slot.
  ///
  /// After the properties that the model declares, it contains implicit ones. These hold the objects' places in ordered
  /// relationships, and the other directions of relationships that are their own inverse.
  public var properties: [Property] { layout.properties }

  /// The properties that the model declares.
  package var declaredProperties: [Property] { declared.properties }

  /// The values, by slot, of an object without stored values.
  package var defaults: ContiguousArray<PropertyValue> { layout.defaults }

  /// The defaults of the declared properties, which come first.
  @usableFromInline package var declaredDefaults: ContiguousArray<PropertyValue> { declared.defaults }

  /// The attributes that are computed from other attributes.
  package var derivedSlots: [Int] { declared.derived }

  /// Whether any attribute is derived.
  package var derives: Bool { !declared.derived.isEmpty }

  /// The attributes with rules.
  package var ruledSlots: [Int] { declared.ruled }

  /// Whether any attribute has rules.
  package var hasRules: Bool { !declared.ruled.isEmpty }

  /// The indexes that are separate properties.
  package var indexes: [EntityIndex] { layout.indexes }

  private func extend() -> Layout {
    var properties = declared.properties
    for property in declared.properties {
      if let mirror = property.mirror(in: self) { properties.append(mirror) }
      guard case .toOne(let end) = property.role else { continue }
      let isOrdered = end.target.entity.declared.properties.contains { other in
        guard let back = other.relationship, back.isOrdered, back.target.entity === self else { return false }
        return back.inverse == property.name || end.inverse == other.name
      }
      if isOrdered { properties += Property.places(in: property.name, was: property.formerNames) }
    }
    let made = Unmanaged.passRetained(properties.count == declared.properties.count ? declared : Layout(properties))
    let (isFirst, other) = extended.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    if isFirst { return made.takeUnretainedValue() }
    made.release()
    return other?.takeUnretainedValue() ?? declared
  }

  /// Whether the entity has properties for places in ordered relationships.
  package var keepsPlaces: Bool { isLink ? declared.properties.count > 2 : layout !== declared }

  /// Whether its objects are the links of a many-to-many relationship, which programs do not see.
  package var isLink: Bool { model == Link.self }

  /// The attribute or relationship with this name.
  package func slot(named name: String) -> Int? { properties.firstIndex { $0.name == name && !$0.isIndex } }

  /// The attribute or relationship with this name or, if there is none, with this former name. Archives have the names
  /// of the program that wrote them.
  package func slot(everNamed name: String) -> Int? {
    slot(named: name) ?? properties.firstIndex { $0.formerNames.contains(name) }
  }

  /// Whether a name is or was the name of this entity.
  package func isEverNamed(_ name: String) -> Bool { self.name == name || formerNames.contains(name) }

  /// The index that is the property in `slot`. `nil` for any other property.
  package func index(_ slot: Int) -> EntityIndex? { indexes.first { $0.slot == slot } }

  package func makeObject(_ storage: ObjectStorage) -> any PersistentModel { model.init(_storage: storage) }
}

extension Entity: Hashable {
  /// Returns whether both are the same instance.
  public static func == (lhs: Entity, rhs: Entity) -> Bool { lhs === rhs }
  /// Hashes the identity of the instance.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
