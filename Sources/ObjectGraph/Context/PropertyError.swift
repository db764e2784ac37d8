import RepriseEventStore
import RepriseObjectModel

/// Why a property could not be read or assigned by its name. Nothing has changed.
///
/// The calls that take names of properties or entities throw it, and ``EditingContext/resolve(_:with:)``.
@nonexhaustive
public enum PropertyError: RepriseError, Equatable {
  /// The store was not opened with a model of this name.
  ///
  /// `entity(named:)` and `insert` throw it. Use one of the store's `entities`.
  case unknownEntity(String)
  /// The model has no attribute or relationship of this name.
  ///
  /// All calls with a name throw it. Use a property of the object's `entity`.
  case unknown(String, entity: String)
  /// The relationship is to-many, so it has members instead of a value.
  ///
  /// Reading, `set` and `insert` throw it. Use `members(of:)`, or the calls that change members.
  case toMany(String, entity: String)
  /// The property is not a to-many relationship, so it has a value instead of members.
  ///
  /// The calls that read or change members throw it. Use the object's subscript or `set`.
  case notToMany(String, entity: String)
  /// The attribute is derived from other attributes, and cannot be assigned.
  ///
  /// `set` and `insert` throw it. Assign the other attributes.
  case derived(String, entity: String)
  /// The property cannot hold the value.
  ///
  /// `set`, `insert` and the calls that change members throw it, and `resolve`. Use another value.
  case invalidValue(InvalidValue)
  /// The context does not contain this object. A detached object has no context, so the error applies to any ID.
  ///
  /// `set`, `insert` and the calls that change members throw it. Insert the object first, or assign the object itself.
  case missingTarget(AnyObjectID, property: String, entity: String)
  /// The object belongs to a read-only context.
  ///
  /// `set` and the calls that change members throw it. Look the object up in an `EditingContext`.
  case readOnly(AnyObjectID)
}

extension PropertyError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .unknownEntity(let name):
      "The store was not opened with a model '\(name)'. Use one of the store's `entities`, or open it with that model."
    case .unknown(let name, let entity):
      "\(entity) has no property '\(name)'. Use one of the properties that its `entity` lists."
    case .toMany(let name, let entity):
      "\(entity).\(name) is a to-many relationship, which has no single value. Use `members(of:)` or "
        + "`setMembers(of:to:)`."
    case .notToMany(let name, let entity):
      "\(entity).\(name) is not a to-many relationship, so it has no members. Use `object[\"\(name)\"]` or "
        + "`set(_:to:)`."
    case .derived(let name, let entity):
      "\(entity).\(name) is derived from other attributes, and cannot be assigned. Assign those attributes."
    case .invalidValue(let value): "\(value). Nothing was changed. Use another value."
    case .missingTarget(let id, let name, let entity):
      "\(entity).\(name) cannot refer to \(id), which does not exist in this context. Insert the object first, or "
        + "assign the object instead of its ID."
    case .readOnly(let id):
      "\(id) belongs to a read-only context, and cannot be changed. Look it up in an `EditingContext`."
    }
  }
}
