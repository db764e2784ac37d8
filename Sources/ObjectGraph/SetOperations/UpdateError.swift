import RepriseEventStore
import RepriseObjectModel

/// The reason why an update, deletion, import or upsert was refused.
@nonexhaustive
public enum UpdateError: RepriseError, Hashable {
  /// A property cannot hold the new value.
  case invalidValue(InvalidValue)
  /// A number cannot be increased, because the sum does not fit into 64 bits.
  case overflow(object: AnyObjectID, property: String)
  /// A to-one relationship cannot refer to an object that does not exist in this context.
  case missingTarget(AnyObjectID)
  /// An update cannot make several objects refer to one object by a one-to-one relationship.
  case oneToOne(entity: String, property: String)
  /// An upsert has a key path that is not a property of the model.
  case unknownKeyPath(entity: String)
  /// An upsert cannot find objects by these properties, because they are not unique.
  case notUnique(entity: String, properties: [String])
  /// An upsert must assign a value to each of the properties by which it finds objects: one other than nil, unless they
  /// are unique with `nilsAreEqual: true`.
  case missingKey(entity: String, properties: [String])
  /// The batch size is less than 1.
  case batchSize(Int)
}

extension UpdateError: CustomStringConvertible {
  /// The error and the next step to take, as text for people.
  public var description: String {
    switch self {
    case .invalidValue(let value): "\(value). Nothing was changed. Assign another value."
    case .overflow(let object, let property):
      "\(object).\(property) cannot be increased by so much. Nothing was changed. Leave the object out of the fetch."
    case .missingTarget(let id):
      "\(id) does not exist here, so nothing can be pointed at it. Nothing was changed. Insert or save it first."
    case .oneToOne(let entity, let property):
      "\(entity).\(property) is one end of a one-to-one relationship, and many objects cannot refer to one. Nothing "
        + "was changed. Assign it object by object."
    case .unknownKeyPath(let entity):
      "A key path is of no property of \(entity) that its `_keyPaths` list. Nothing was changed. Add it there, or name "
        + "another property."
    case .notUnique(let entity, let properties):
      "No object of \(entity) can be found by \(properties.joined(separator: ", ")), which need not be unique. Nothing "
        + "was changed. Declare it with `@Attribute(.unique)` or `#Unique`."
    case .missingKey(let entity, let properties):
      "An object of \(entity) cannot be found by \(properties.joined(separator: ", ")) without a value of each. "
        + "Nothing was changed. Assign each of them a value that is not nil, or declare them unique with "
        + "`nilsAreEqual: true` and assign nil where there is none."
    case .batchSize(let size): "A batch cannot have \(size) objects. Nothing was changed. Give 1 or more."
    }
  }
}
