// Descriptions for tools that work with any model, such as inspectors, importers and synchronisers.

extension Property {
  /// The kind of a property.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// An attribute, which has a value.
    case attribute(AttributeKind)
    /// A to-one relationship: at most one object of ``Property/target``.
    case toOne
    /// A to-many relationship: any number of objects of ``Property/target``.
    case toMany
    /// An index over other properties. It has no value.
    case index
  }

  /// The kind of the property.
  public var kind: Kind {
    switch role {
    case .attribute(let attribute): .attribute(attribute.kind)
    case .toOne: .toOne
    case .toMany: .toMany
    case .index: .index
    }
  }

  /// Whether the property can be `nil`: an attribute of an optional type, or a to-one relationship that is not
  /// required.
  public var isOptional: Bool { attribute?.isOptional ?? (kind == .toOne && relationship?.limits.lowerBound == 0) }

  /// The attribute's value for objects without a stored one; null for other properties.
  public var defaultValue: PropertyValue { attribute?.defaultValue ?? .null }

  /// The Swift type of an attribute; `nil` for other properties.
  public var type: (any AttributeValue.Type)? { attribute?.type }

  /// Whether the property is an attribute computed from other attributes, which cannot be assigned.
  public var isDerived: Bool { attribute?.derivation != nil }

  /// The rules for an attribute's values.
  public var rules: [RuleViolation.Rule] { attribute?.rules.map(\.rule) ?? [] }

  /// The model at the other end of a relationship; `nil` for other properties.
  public var target: Entity? { relationship?.target.entity }

  /// The name of the inverse relationship, if this end declares it.
  public var inverse: String? { relationship?.inverse }

  /// The effect of a deletion on the objects at the other end of a relationship; `nil` for other properties.
  public var deleteRule: DeleteRule? { relationship?.deleteRule }

  /// The allowed number of objects at the other end of a relationship; `nil` for other properties.
  public var limits: ClosedRange<Int>? {
    guard let relationship else { return nil }
    return kind == .toOne ? relationship.limits.lowerBound...1 : relationship.limits
  }

  /// Whether the property is an ordered to-many relationship.
  public var isOrdered: Bool { relationship?.isOrdered ?? false }
}

extension Entity {
  /// The attributes that the model declares, in its order.
  public var attributes: [Property] { declaredProperties.filter { $0.attribute != nil } }

  /// The relationships that the model declares, in its order.
  public var relationships: [Property] { declaredProperties.filter { $0.relationship != nil } }

  /// Returns the attribute or relationship that the model declares with this name; `nil` if there is none.
  public func property(named name: String) -> Property? {
    declaredProperties.first { $0.name == name && !$0.isIndex }
  }
}
