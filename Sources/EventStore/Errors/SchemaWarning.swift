/// What a store has and no model of the program names.
///
/// Most often something was renamed, and the models do not say so: they read their default for what the store has under
/// the old name. Or the program is older than the store, or something was taken out of the models. The store keeps what
/// it has.
public enum SchemaWarning: Hashable, Sendable {
  /// No model has the name of an entity, and none had it.
  case entity(String)
  /// The model of the entity has no such attribute or relationship, and none that had the name.
  case property(String, entity: String)
  /// The model of the entity does not declare this index; each save that changes what it is over writes it still.
  case index(String, entity: String)
}

extension SchemaWarning: CustomStringConvertible {
  /// What there is, and what to do if that is a mistake.
  public var description: String {
    switch self {
    case .entity: "\(fact) If a model has another name now, say so: @Model(was: \"…\")."
    case .property:
      "\(fact) If it has another name now, say so: @Attribute(was: \"…\") or @Relationship(was: \"…\")."
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
