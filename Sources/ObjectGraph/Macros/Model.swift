#if Macros
import RepriseObjectModel

/// Makes a class a model: its objects can live in a store.
///
/// ```swift
/// @Model final class Item {
///   @Attribute(.indexed) var name: String
///   var valueInDollars: Int = 0
///   @Relationship(inverse: \Person.items) var owner: Person?
///   init(name: String) { self.name = name }
/// }
/// ```
///
/// Every stored property is persisted unless it is marked ``Transient()``, and needs an explicit type. A property of
/// type `ToMany` or `OrderedToMany` is a to-many relationship, an optional one with
/// ``Relationship(deleteRule:inverse:mutual:required:minimum:maximum:was:)`` a to-one; any other is an attribute,
/// whose type must conform to `AttributeValue`. A default must be a constant. Attributes of types without a zero, such
/// as enums, need a default or must be optional: objects stored before the property was declared read with it.
///
/// A class that had another name before says so, `@Model(was: "Employee")`, and so does a property: see
/// ``Attribute(_:was:)``.
///
/// The class must be final, and has no base class, whose properties would not be stored. The macro adds the conformance
/// to `PersistentModel`, a description `entity`, the types `Fields` for fetches and `Snapshot`, and the members that
/// fill an object from a store. The name in the store is that of the class.
///
/// In an initialiser, assign to-one relationships after the attributes: the other end changes at once, so the object
/// must be complete by then.
@attached(
  member,
  names: named(ID), named(entity), named(_storage), named(init), named(Fields), named(_keyPaths),
  named(Snapshot), named(snapshot), named(_checkInverses), named(_checkBaseClass))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel)
public macro Model(was formerNames: String...) = #externalMacro(module: "RepriseObjectGraphMacros", type: "ModelMacro")

/// Makes a class a model, like ``Model(was:)``, with a different name in the store: a string literal.
///
/// Giving the old name allows a class to be renamed without changing the store. With former names, the store is renamed
/// as well.
@attached(
  member,
  names: named(ID), named(entity), named(_storage), named(init), named(Fields), named(_keyPaths),
  named(Snapshot), named(snapshot), named(_checkInverses), named(_checkBaseClass))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel)
public macro Model(_ name: String, was formerNames: String...) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "ModelMacro")
#endif
