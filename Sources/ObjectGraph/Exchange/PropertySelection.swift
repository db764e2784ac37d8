import RepriseObjectModel

/// The properties of objects to exchange with other programs.
///
/// Related objects are included as IDs or as nested objects.
///
/// ```swift
/// let selection = PropertySelection.attributes.ids("owner").nesting("parts", .only("name", "price"))
/// ```
///
/// The object's ID is always included.
public struct PropertySelection: Equatable, Sendable {
  /// `nil` for all.
  private var attributes: Set<String>?
  private var relationships: [String: Part] = [:]

  package enum Part: Equatable, Sendable {
    case id
    case object(PropertySelection)
  }

  /// All attributes and no relationships.
  public static var attributes: PropertySelection { PropertySelection() }

  /// Only the named attributes, and no relationships.
  public static func only(_ attributes: String...) -> PropertySelection {
    var selection = PropertySelection()
    selection.attributes = Set(attributes)
    return selection
  }

  /// Adds relationships as IDs: the ID of a to-one relationship's object, or a list of IDs of a to-many one.
  public func ids(_ relationships: String...) -> PropertySelection {
    var selection = self
    for name in relationships { selection.relationships[name] = .id }
    return selection
  }

  /// Adds a to-one relationship as a nested object, or a to-many one as a list of nested objects. `part` selects their
  /// properties.
  public func nesting(_ relationship: String, _ part: PropertySelection = .attributes) -> PropertySelection {
    var selection = self
    selection.relationships[relationship] = .object(part)
    return selection
  }

  /// The selected properties of an entity, by slot. The part is `nil` for an attribute.
  ///
  /// - Throws: ``ExchangeError/unknownProperty(_:entity:)``.
  func parts(of entity: Entity) throws(ExchangeError) -> [(slot: Int, property: Property, part: Part?)] {
    for name in attributes ?? [] where entity.property(named: name)?.type == nil {
      throw .unknownProperty(name, entity: entity.name)
    }
    for name in relationships.keys where entity.property(named: name)?.target == nil {
      throw .unknownProperty(name, entity: entity.name)
    }
    return entity.declaredProperties.enumerated().compactMap { slot, property in
      if property.isIndex { return nil }
      if let part = relationships[property.name] { return (slot, property, part) }
      guard property.type != nil, attributes?.contains(property.name) ?? true else { return nil }
      return (slot, property, nil)
    }
  }
}
