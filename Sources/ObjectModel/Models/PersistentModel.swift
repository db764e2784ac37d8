/// A class whose objects live in a store.
///
/// `@Model` writes the conformance. By hand (with the package trait `Macros` off) it takes: the description, the
/// storage, the initialiser for objects that come from the store, and an accessor for each property. See
/// <doc:ModelsByHand>.
///
/// Objects are not `Sendable`: they belong to their context's isolation. ``id`` and ``snapshot`` cross.
///
/// `print` shows an object's values, and `dump` as well; neither shows what holds them.
public protocol PersistentModel: AnyObject, Identifiable, Hashable, SendableMetatype, TextOutputStreamable,
  CustomReflectable
where ID == ObjectID<Self> {
  /// The properties as fetches name them.
  associatedtype Fields: FieldSet where Fields.Model == Self
  /// An immutable copy of the values.
  associatedtype Snapshot: Sendable
  /// The description of the model, always the same instance.
  static var entity: Entity { get }
  /// The storage of the values. For accessors only.
  var _storage: ObjectStorage { get }
  /// Makes the object for a storage that the library filled or will fill.
  init(_storage: ObjectStorage)
  /// The names of the properties by their key paths, by which a `#Predicate` is translated; an empty name for `id`.
  /// Made when it is asked for. Without it, a model has no key paths.
  static var _keyPaths: [AnyKeyPath: String] { get }
  /// The values as they are now. A to-one relationship becomes an ID; to-many relationships are left out.
  var snapshot: Snapshot { get }
}

extension PersistentModel {
  /// None.
  public static var _keyPaths: [AnyKeyPath: String] { [:] }

  /// Permanent, and known from birth.
  public var id: ObjectID<Self> { ObjectID(uuid: _storage.uuid) }

  /// Where the object stands in its context.
  public var state: ObjectState {
    _storage.noteRead(ObjectStorage.existence)
    return _storage.currentState
  }

  /// Whether the two are the same object of the same context.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

  /// Feeds the object's identity into the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The properties of a model as fetches name them. `@Model` writes it: a struct with a field for each property.
public protocol FieldSet: Sendable {
  /// The model whose properties these are.
  associatedtype Model: PersistentModel
  /// The fields of the model at the end of `path`.
  init(_ path: FieldPath)
}

/// The way from a fetched object to a property: names of to-one relationships, then the property's own.
public struct FieldPath: Hashable, Sendable {
  /// From the fetched object outwards; empty for the object itself.
  public let names: [String]

  /// The fetched object itself.
  public static var root: FieldPath { FieldPath([]) }

  package init(_ names: [String]) { self.names = names }

  /// The path one property further.
  public func appending(_ name: String) -> FieldPath { FieldPath(names + [name]) }
}
