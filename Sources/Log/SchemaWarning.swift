/// A part of a store's schema that no model of the program names.
///
/// `Store.warnings` lists it, and `open` with `isStrict` throws it in ``StoreError/notInModels(_:)``. The usual cause
/// is a rename that the models do not declare. Objects then read defaults instead of the values under the old name. The
/// program may also be older than the store, or the property may have been removed from the models. In each case, the
/// store keeps the values.
@nonexhaustive
public enum SchemaWarning: Equatable, Sendable {
  /// No model declares this name or former name for an entity. If a model was renamed, declare the former name with
  /// `@Model(was:)`.
  case entity(String)
  /// The entity's model declares no attribute or relationship with this name or former name. If a property was renamed,
  /// declare the former name with `was:`.
  case property(String, entity: String)
  /// The model of the entity does not declare this index. Saves still write it. Declare it, or let a migration remove
  /// it.
  case index(String, entity: String)
}

extension SchemaWarning: CustomStringConvertible {
  /// The fact, and the next step if it is a mistake.
  public var description: String {
    switch self {
    case .entity(let name):
      "\(fact) If '\(name)' was renamed, declare its former name: @Model(was: \"\(name)\")."
    case .property(let name, let entity):
      "\(fact) If \(entity).\(name) was renamed, declare its former name: @Attribute(was: \"\(name)\") or "
        + "@Relationship(was: \"\(name)\")."
    case .index: "\(fact) Declare it, or let a migration remove it."
    }
  }

  var fact: String {
    switch self {
    case .entity(let name): "The store has an entity '\(name)' that no model names."
    case .property(let name, let entity): "The store has a property \(entity).\(name) that no model names."
    case .index(let name, let entity): "The store has an index \(name) of \(entity) that no model declares."
    }
  }
}
