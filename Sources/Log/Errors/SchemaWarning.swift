/// Something in a store that no model of the program names.
///
/// `Store.warnings` lists it, and `open` with `isStrict` throws it in ``StoreError/notInModels(_:)``. Most often
/// something was renamed, and the models do not say so: objects then read defaults instead of the values under the old
/// name. Or the program is older than the store, or something was removed from the models. The store keeps the values.
@nonexhaustive
public enum SchemaWarning: Hashable, Sendable {
  /// No model has the name of an entity, and none had it. If a model has another name now, declare `@Model(was:)`.
  case entity(String)
  /// The model of the entity has no such attribute or relationship, and none that had the name. If the property has
  /// another name now, declare it with `was:`.
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
