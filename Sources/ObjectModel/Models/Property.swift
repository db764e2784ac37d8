/// An attribute, a relationship or an index of a model.
///
/// `@Model` writes these. A handwritten model lists them in its ``Entity``.
public struct Property: Sendable {
  /// The name in the model and in the store.
  public let name: String
  @usableFromInline package let role: Role
  /// The names that the property had in earlier versions of the model.
  package var formerNames: [String] = []

  // Inlined, like its callers, because a call would copy the whole property.
  @usableFromInline package enum Role: Sendable {
    case attribute(AttributeDescription)
    case toOne(RelationshipDescription)
    case toMany(RelationshipDescription)
    /// An index. It has no values in records, because its rows derive from other properties.
    case index(IndexDescription)
  }

  // A class, because opening a store copies each property about twenty times, and copying a reference is one retain.
  @usableFromInline package final class AttributeDescription: Sendable {
    package let kind: AttributeKind
    package let isOptional: Bool
    package let defaultValue: PropertyValue
    package let isIndexed: Bool
    package let mergeRule: MergeRule?
    /// Whether `defaultValue` is a value of the attribute's type.
    package let isDefaultReadable: Bool
    /// Whether every value of the kind belongs to the attribute's type.
    package let readsEveryValue: Bool
    private let readsSome: @Sendable (PropertyValue) -> Bool
    package let type: any AttributeValue.Type
    package let rules: [ValueRule]
    /// Computes the value, if it is derived.
    package let derivation: Derivation?

    init(
      kind: AttributeKind, isOptional: Bool, defaultValue: PropertyValue, isIndexed: Bool, mergeRule: MergeRule?,
      isDefaultReadable: Bool, readsEveryValue: Bool, reads: @escaping @Sendable (PropertyValue) -> Bool,
      type: any AttributeValue.Type,
      rules: [ValueRule] = [], derivation: Derivation? = nil
    ) {
      self.kind = kind
      self.isOptional = isOptional
      self.defaultValue = defaultValue
      self.isIndexed = isIndexed
      self.mergeRule = mergeRule
      self.isDefaultReadable = isDefaultReadable
      self.readsEveryValue = readsEveryValue
      readsSome = reads
      self.type = type
      self.rules = rules
      self.derivation = derivation
    }

    /// Whether a value belongs to the attribute's type: to its kind, its range, and its cases.
    package func reads(_ value: PropertyValue) -> Bool { readsEveryValue && kind.accepts(value) || readsSome(value) }
  }

  // A class for the same reason as `AttributeDescription`.
  @usableFromInline package final class RelationshipDescription: Sendable {
    package let target: any PersistentModel.Type
    package let inverse: String?
    package let deleteRule: DeleteRule
    /// The number of objects that a save allows at the other end.
    package let limits: ClosedRange<Int>
    /// Whether the objects at the other end have an order.
    package let isOrdered: Bool

    init(
      target: any PersistentModel.Type, inverse: String?, deleteRule: DeleteRule,
      limits: ClosedRange<Int> = 0...Int.max,
      isOrdered: Bool = false
    ) {
      self.target = target
      self.inverse = inverse
      self.deleteRule = deleteRule
      self.limits = limits
      self.isOrdered = isOrdered
    }
  }

  /// Makes an attribute.
  ///
  /// - Parameters:
  ///   - name: The name in the model and in the store.
  ///   - type: The Swift type.
  ///   - defaultValue: The value of objects that were stored before the attribute was declared, and of unreadable
  ///     objects. By default, it is `nil` for an optional, otherwise zero, false or empty.
  ///   - indexed: Whether there is a counted index over this attribute. A list sorted by it finds its n-th row and the
  ///     place of an object in O(log n). Each save that changes the attribute also writes the index.
  ///   - merge: The rule for merging concurrent changes. Without one, they conflict, unless both set the same value and
  ///     it is not a number. The rule is not stored, and may differ at the next launch.
  ///   - formerNames: The attribute's names in earlier versions of the model. If a store knows the attribute by one of
  ///     these, opening the store renames it, at no cost per object.
  public static func attribute<Value: AttributeValue>(
    _ name: String, _ type: Value.Type, default defaultValue: Value? = nil, indexed: Bool = false,
    merge: MergeRule? = nil, was formerNames: String...
  ) -> Property {
    Property(name: name, role: .attribute(.init(type, defaultValue, indexed, merge)), formerNames: formerNames)
  }

  /// Makes an attribute with rules for its values; otherwise like one without rules.
  ///
  /// - Parameter rules: The rules that a save checks. `nil` breaks no rule except `required`. See ``AttributeRule``.
  public static func attribute<Value: AttributeValue>(
    _ name: String, _ type: Value.Type, default defaultValue: Value? = nil, indexed: Bool = false,
    merge: MergeRule? = nil, rules: [AttributeRule<Value.Unwrapped>], was formerNames: String...
  ) -> Property {
    Property(
      name: name, role: .attribute(.init(type, defaultValue, indexed, merge, rules: rules.map(\.rule))),
      formerNames: formerNames)
  }

  /// Makes an attribute that is computed from the object's other attributes, and stored so that you can fetch, sort and
  /// index by it.
  ///
  /// The attribute has no accessor in the storage. The class has a computed property with this name.
  ///
  /// ```swift
  /// .derived("fullName", String.self, of: Person.self, indexed: true) { $0.fullName }
  /// ```
  ///
  /// A save computes and stores the value after merging with other saves. Before the save, contexts compute it for the
  /// objects that they changed. For objects stored before the attribute was declared, or with another version of it,
  /// opening the store computes it.
  ///
  /// - Parameters:
  ///   - version: Increase it when the computation changes. The next opening of a store then computes the attribute for
  ///     all objects.
  ///   - defaultValue: The value that past states show, from before the attribute was declared. By default, it is `nil`
  ///     for an optional, otherwise zero, false or empty.
  ///   - rules: The rules that a save checks.
  ///   - value: Computes the value from the object's attributes alone: equal attributes must give equal values. Reading
  ///     a relationship or changing the object stops the program with a message. The closure runs on threads of the
  ///     library, with a detached object that has the values.
  public static func derived<Model: PersistentModel, Value: AttributeValue>(
    _ name: String, _ type: Value.Type, of model: Model.Type, version: Int = 1, default defaultValue: Value? = nil,
    indexed: Bool = false, rules: [AttributeRule<Value.Unwrapped>] = [], was formerNames: String...,
    value: @escaping @Sendable (Model) -> Value
  ) -> Property {
    let derivation = Derivation(version: version) { object in
      (object as? Model).map { value($0).propertyValue } ?? .null
    }
    let description = AttributeDescription(
      type, defaultValue, indexed, nil, rules: rules.map(\.rule), derivation: derivation)
    return Property(name: name, role: .attribute(description), formerNames: formerNames)
  }

  /// Unavailable: a property that holds a model is a relationship.
  @available(*, unavailable, message: "a property that holds a model is a relationship: mark it with '@Relationship'")
  public static func attribute<Target: PersistentModel>(
    _ name: String, _ type: Target?.Type, default defaultValue: Target? = nil, indexed: Bool = false,
    merge: MergeRule? = nil, was formerNames: String...
  ) -> Property {
    toOne(name, Target.self)
  }

  /// Unavailable: a property that holds models is a to-many relationship.
  @available(*, unavailable, message: "a property that holds models is a to-many relationship: its type is 'ToMany<…>'")
  public static func attribute<Targets: Collection>(
    _ name: String, _ type: Targets?.Type, default defaultValue: Targets? = nil, indexed: Bool = false,
    merge: MergeRule? = nil, was formerNames: String...
  ) -> Property where Targets.Element: PersistentModel {
    toMany(name, Targets.Element.self)
  }

  /// Unavailable: an enum that is an attribute must conform to `AttributeValue`.
  @available(
    *, unavailable,
    message: "the type of an attribute must conform to 'AttributeValue', as in 'enum …: String, AttributeValue'"
  )
  public static func attribute<Value: RawRepresentable>(
    _ name: String, _ type: Value.Type, default defaultValue: Value? = nil, indexed: Bool = false,
    merge: MergeRule? = nil, was formerNames: String...
  ) -> Property where Value.RawValue: AttributeValue {
    attribute(name, Value.RawValue.self)
  }

  /// Unavailable: an enum that is an attribute must conform to `AttributeValue`.
  @available(
    *, unavailable,
    message: "the type of an attribute must conform to 'AttributeValue', as in 'enum …: String, AttributeValue'"
  )
  public static func attribute<Value: RawRepresentable>(
    _ name: String, _ type: Value?.Type, default defaultValue: Value? = nil, indexed: Bool = false,
    merge: MergeRule? = nil, was formerNames: String...
  ) -> Property where Value.RawValue: AttributeValue {
    attribute(name, Value.RawValue.self)
  }

  /// A `Codable` type is an attribute type only if it also conforms to the protocol.
  @available(
    *, unavailable,
    message: "a Codable type of an attribute must conform to 'CodableAttribute', as in 'struct …: CodableAttribute'"
  )
  @_disfavoredOverload  // An enum, or a model, may be Codable as well.
  public static func attribute<Value: Codable>(
    _ name: String, _ type: Value.Type, default defaultValue: Value? = nil, indexed: Bool = false,
    merge: MergeRule? = nil, was formerNames: String...
  ) -> Property {
    attribute(name, String.self)
  }

  /// Makes a to-one relationship.
  ///
  /// - Parameters:
  ///   - name: The name in the model and in the store.
  ///   - target: The model at the other end.
  ///   - inverse: The name of the relationship that refers back. Name it on one of the two sides, or on both.
  ///   - deleteRule: The effect on the other object when the object with this property is deleted.
  ///   - isRequired: Whether a save throws if it leaves the relationship empty. The rule is not stored, and applies
  ///     only to programs that declare it, and to the objects that they change.
  ///   - formerNames: The relationship's names in earlier versions of the model, as for an attribute.
  public static func toOne<Target: PersistentModel>(
    _ name: String, _ target: Target.Type, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
    isRequired: Bool = false, was formerNames: String...
  ) -> Property {
    Property(
      name: name,
      role: .toOne(
        RelationshipDescription(
          target: target, inverse: inverse, deleteRule: deleteRule, limits: (isRequired ? 1 : 0)...Int.max)),
      formerNames: formerNames)
  }

  /// Makes a to-many relationship.
  ///
  /// Its inverse is a to-one relationship, or a to-many one for many-to-many.
  ///
  /// - Parameters:
  ///   - name: The name in the model and in the store.
  ///   - target: The model at the other end.
  ///   - inverse: The name of the relationship that refers back. Name it on one of the two sides, or on both.
  ///   - deleteRule: The effect on the other objects when the object with this property is deleted.
  ///   - minimum: The smallest number of members. A save throws if it leaves an object with fewer. The rule is not
  ///     stored, as for a required to-one relationship.
  ///   - maximum: The largest number of members. With a minimum or maximum, a save reads the members of each object
  ///     whose members it changes.
  ///   - isOrdered: Whether the program gives the members an order. The accessor then has the type ``OrderedToMany``.
  ///     The order is stored in an attribute of the members, or of the links of a many-to-many relationship, with an
  ///     index over it.
  ///   - formerNames: The relationship's names in earlier versions of the model, as for an attribute.
  public static func toMany<Target: PersistentModel>(
    _ name: String, _ target: Target.Type, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
    minimum: Int = 0, maximum: Int = .max, isOrdered: Bool = false, was formerNames: String...
  ) -> Property {
    Property(
      name: name,
      role: .toMany(
        RelationshipDescription(
          target: target, inverse: inverse, deleteRule: deleteRule,
          limits: max(0, minimum)...max(0, minimum, maximum), isOrdered: isOrdered)),
      formerNames: formerNames)
  }

  /// The same property under another name.
  package func named(_ name: String) -> Property { Property(name: name, role: role) }

  @inlinable package var attribute: AttributeDescription? { if case .attribute(let it) = role { it } else { nil } }

  @inlinable package var relationship: RelationshipDescription? {
    switch role {
    case .attribute, .index: nil
    case .toOne(let it), .toMany(let it): it
    }
  }

  @inlinable package var isIndex: Bool { if case .index = role { true } else { false } }

  @inlinable package var isToMany: Bool { if case .toMany = role { true } else { false } }
}

extension Property.AttributeDescription {
  fileprivate convenience init<Value: AttributeValue>(
    _ type: Value.Type, _ defaultValue: Value?, _ isIndexed: Bool, _ mergeRule: MergeRule?, rules: [ValueRule] = [],
    derivation: Derivation? = nil
  ) {
    let value = defaultValue?.propertyValue ?? (Value.isOptional ? .null : Value.zeroForm)
    self.init(
      kind: Value.attributeKind, isOptional: Value.isOptional, defaultValue: value, isIndexed: isIndexed,
      mergeRule: mergeRule, isDefaultReadable: Value.from(value) != nil, readsEveryValue: Value.readsEveryValue,
      reads: { Value.from($0) != nil }, type: type,
      rules: rules, derivation: derivation)
  }
}
