import RepriseEventStore
import RepriseObjectModel

/// An error in reading or assigning a property by its name. Nothing has changed.
@nonexhaustive
public enum PropertyError: RepriseError, Hashable {
  /// The store was not opened with a model of this name.
  case unknownEntity(String)
  /// The model has no attribute or relationship of this name.
  case unknown(String, entity: String)
  /// The relationship is to-many, so it has members instead of a value.
  case toMany(String, entity: String)
  /// The property is not a to-many relationship, so it has a value instead of members.
  case notToMany(String, entity: String)
  /// The attribute is derived from other attributes, and cannot be assigned.
  case derived(String, entity: String)
  /// The property cannot hold the value.
  case invalidValue(InvalidValue)
  /// The context does not contain this object. A detached object has no context, so the error applies to any ID.
  case missingTarget(AnyObjectID, property: String, entity: String)
  /// The object belongs to a read-only context.
  case readOnly(AnyObjectID)
}

extension PropertyError: CustomStringConvertible {
  /// The error and the next step to take, as text for people.
  public var description: String {
    switch self {
    case .unknownEntity(let name):
      "The store was not opened with a model '\(name)'. Its `entities` lists those that it was opened with."
    case .unknown(let name, let entity):
      "\(entity) has no property '\(name)'. Its `entity` lists those that it has."
    case .toMany(let name, let entity):
      "\(entity).\(name) is a to-many relationship, which has no single value. Ask for its members."
    case .notToMany(let name, let entity): "\(entity).\(name) is no to-many relationship. Ask for its value."
    case .derived(let name, let entity):
      "\(entity).\(name) is derived from other attributes. Assign those."
    case .invalidValue(let value): "\(value). Nothing was changed. Assign another value."
    case .missingTarget(let id, let name, let entity):
      "\(entity).\(name) cannot lead to \(id), which does not exist here. Insert the object first, or assign the "
        + "object itself."
    case .readOnly(let id):
      "\(id) belongs to a context that only reads. Look it up in an `EditingContext` and change it there."
    }
  }
}
