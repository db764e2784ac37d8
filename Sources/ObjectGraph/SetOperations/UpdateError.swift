import RepriseEventStore
import RepriseObjectModel

/// The reason why an update, deletion, import or upsert threw. Nothing has changed.
///
/// The set operations of contexts throw it: `update`, `upsert`, `deleteAll` and `importObjects`.
@nonexhaustive
public enum UpdateError: RepriseError, Equatable {
  /// A property cannot hold the new value.
  ///
  /// `update` and `upsert` throw it. Assign another value.
  case invalidValue(InvalidValue)
  /// A number cannot be increased, because the sum does not fit into 64 bits.
  ///
  /// `update` and `upsert` throw it. Leave the object out of the fetch, or increase it by less.
  case overflow(object: AnyObjectID, property: String)
  /// A to-one relationship would refer to an object that does not exist in this context.
  ///
  /// `update` and `upsert` throw it. Insert or save the object first.
  case missingTarget(AnyObjectID)
  /// An update would make several objects refer to one object by a one-to-one relationship.
  ///
  /// `update` throws it. Assign the relationship object by object.
  case oneToOne(entity: String, property: String)
  /// An upsert has a key path that is not a property of the model.
  ///
  /// `upsert` throws it. Name another property. A model without macros lists its properties in `_keyPaths`.
  case unknownKeyPath(entity: String)
  /// An upsert cannot find objects by these properties, because they are not unique.
  ///
  /// `upsert` throws it. Declare the properties unique.
  case notUnique(entity: String, properties: [String])
  /// An upsert lacks a value for a property of its key. Nil counts as a value only if the key is unique with
  /// `nilsAreEqual: true`.
  ///
  /// `upsert` throws it. Assign each of them.
  case missingKey(entity: String, properties: [String])
  /// The batch size is less than 1.
  ///
  /// Calls with a batch size throw it. Pass 1 or more.
  case batchSize(Int)
}

extension UpdateError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .invalidValue(let value): "\(value). Nothing was changed. Assign another value."
    case .overflow(let object, let property):
      "\(object).\(property) cannot be increased, because the sum does not fit into 64 bits. Nothing was changed. "
        + "Leave the object out, or increase \(property) by less."
    case .missingTarget(let id):
      "\(id) does not exist in this context, so nothing can refer to it. Nothing was changed. Insert or save this "
        + "object first."
    case .oneToOne(let entity, let property):
      "\(entity).\(property) is one end of a one-to-one relationship, so several objects cannot refer to one object. "
        + "Nothing was changed. Assign the relationship object by object."
    case .unknownKeyPath(let entity):
      "A key path of the upsert is not a stored property of \(entity). Nothing was changed. Name a stored property. If "
        + "\(entity) was written without `@Model`, its `_keyPaths` must list the key path."
    case .notUnique(let entity, let properties):
      "The upsert cannot identify an object of \(entity) by \(Self.quoted(properties)), because no unique index has "
        + "exactly these properties. Nothing was changed. Declare such an index with `@Attribute(.unique)` or "
        + "`#Unique`."
    case .missingKey(let entity, let properties):
      "The upsert identifies an object of \(entity) by \(Self.quoted(properties)), but does not assign a value to "
        + "\(Self.quoted(properties)). Nothing was changed. Assign values that are not nil. Or declare the properties "
        + "unique with `nilsAreEqual: true`, and assign nil where there is no value."
    case .batchSize(let size): "A batch cannot have \(size) objects. Nothing was changed. Use 1 or more."
    }
  }

  private static func quoted(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: " and ") }
}
