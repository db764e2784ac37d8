// What tools ask that are written once for all models: inspectors, importers, synchronisers.

extension Property {
  /// What a property is.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// A value.
    case attribute(AttributeKind)
    /// At most one object of ``Property/target``.
    case toOne
    /// Any number of objects of ``Property/target``.
    case toMany
    /// An index over other properties. It has no value.
    case index
  }

  /// What it is.
  public var kind: Kind {
    switch role {
    case .attribute(let attribute): .attribute(attribute.kind)
    case .toOne: .toOne
    case .toMany: .toMany
    case .index: .index
    }
  }

  /// Whether it may be nil: of an attribute by its type, of a to-one unless it is required.
  public var isOptional: Bool { attribute?.isOptional ?? (kind == .toOne && relationship?.limits.lowerBound == 0) }

  /// The value where nothing was stored; null of what is no attribute.
  public var defaultValue: PropertyValue { attribute?.defaultValue ?? .null }

  /// The type of an attribute in the model; `nil` of other properties.
  public var type: (any AttributeValue.Type)? { attribute?.type }

  /// Whether it is an attribute that is computed from others, and cannot be assigned.
  public var isDerived: Bool { attribute?.derivation != nil }

  /// The rules that an attribute's values keep.
  public var rules: [RuleViolation.Rule] { attribute?.rules.map(\.rule) ?? [] }

  /// The model at the other end of a relationship; `nil` of other properties.
  public var target: Entity? { relationship?.target.entity }

  /// The name of the relationship that leads back, if this end declares it.
  public var inverse: String? { relationship?.inverse }

  /// What happens to the objects at the other end of a relationship when an object is deleted; `nil` of other
  /// properties.
  public var deleteRule: DeleteRule? { relationship?.deleteRule }

  /// How many objects there may be at the other end of a relationship; `nil` of other properties.
  public var limits: ClosedRange<Int>? {
    guard let relationship else { return nil }
    return kind == .toOne ? relationship.limits.lowerBound...1 : relationship.limits
  }

  /// Whether it is a to-many with an order.
  public var isOrdered: Bool { relationship?.isOrdered ?? false }
}

extension Entity {
  /// The attributes that the model declares, in its order.
  public var attributes: [Property] { declaredProperties.filter { $0.attribute != nil } }

  /// The relationships that the model declares, in its order.
  public var relationships: [Property] { declaredProperties.filter { $0.relationship != nil } }

  /// The attribute or relationship that the model declares by this name; `nil` if it has none.
  public func property(named name: String) -> Property? {
    declaredProperties.first { $0.name == name && !$0.isIndex }
  }
}
