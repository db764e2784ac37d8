/// A class whose objects can live in a store.
///
/// `@Model` writes the conformance. Without the package trait `Macros`, you write it by hand, in four parts: the
/// description, the storage, the initialiser for objects from the store, and accessors. See <doc:ModelsByHand>.
///
/// Objects are not `Sendable`: they belong to their context's isolation. Pass ``id`` or ``snapshot`` to other
/// isolations.
///
/// `print` and `dump` show an object's values, but not its storage.
public protocol PersistentModel: AnyObject, Identifiable, Hashable, SendableMetatype, TextOutputStreamable,
  CustomReflectable
where ID == ObjectID<Self> {
  /// The model's properties as fetches use them.
  associatedtype Fields: FieldSet where Fields.Model == Self
  /// The type of an immutable copy of the values.
  associatedtype Snapshot: Sendable
  /// The description of the model, which must always be the same instance.
  static var entity: Entity { get }
  /// The storage of the values. Only accessors use it.
  var _storage: ObjectStorage { get }
  /// Makes the object for a storage that the library fills.
  init(_storage: ObjectStorage)
  /// The names of the properties by key path, used to translate a `#Predicate`.
  ///
  /// The name of `id` is empty. The dictionary is made on each access. The default implementation has no key paths.
  static var _keyPaths: [AnyKeyPath: String] { get }
  /// A copy of the current values. A to-one relationship becomes an ID, and to-many relationships are left out.
  var snapshot: Snapshot { get }
}

extension PersistentModel {
  /// The default implementation, without key paths.
  public static var _keyPaths: [AnyKeyPath: String] { [:] }

  /// The object's permanent ID, which it has from creation.
  public var id: ObjectID<Self> { ObjectID(uuid: _storage.uuid) }

  /// The object's state in its context.
  public var state: ObjectState {
    _storage.noteRead(ObjectStorage.existence)
    return _storage.currentState
  }

  /// Returns whether both are the same instance. A context has one instance per object.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

  /// Hashes the identity of the instance.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The properties of a model as fetches use them. `@Model` writes a struct with a field for each property.
public protocol FieldSet: Sendable {
  /// The model of these properties.
  associatedtype Model: PersistentModel
  /// Makes the fields of the model at the end of `path`.
  init(_ path: FieldPath)
}

/// The path from a fetched object to a property: the names of to-one relationships, then the property's name.
public struct FieldPath: Hashable, Sendable {
  /// The names, starting at the fetched object; empty for the object itself.
  public let names: [String]

  /// The path to the fetched object itself.
  public static var root: FieldPath { FieldPath([]) }

  package init(_ names: [String]) { self.names = names }

  /// Returns the path extended by one property.
  public func appending(_ name: String) -> FieldPath { FieldPath(names + [name]) }
}
