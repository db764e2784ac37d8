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
/// Every stored property is persisted unless ``Transient()`` says otherwise, and needs its type written out. One of
/// type `ToMany` is a to-many relationship, an optional one with ``Relationship(deleteRule:inverse:)`` a to-one; any
/// other is an attribute, of a type that conforms to `AttributeValue`. A default must be a constant. Types without a
/// zero, such as enums, need one or must be optional: it is what an object reads as that was stored before the
/// property was declared.
///
/// The class must be final. It gets the conformance to `PersistentModel`, a description `entity`, the types `Fields`
/// for fetches and `Snapshot`, and what it needs to be filled from a store. In the store its name is that of the
/// class.
///
/// In an initialiser, assign relationships to one object after the attributes: the other end follows at once, so it has
/// to be a complete object by then.
@attached(
  member,
  names: named(ID), named(entity), named(_storage), named(init), named(Fields), named(Snapshot), named(snapshot),
  named(_checkInverses))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel)
public macro Model() = #externalMacro(module: "RepriseObjectGraphMacros", type: "ModelMacro")

/// Makes a class a model, as ``Model()`` does, with another name in the store: a string literal.
///
/// With the old name a class can be renamed while what is stored stays as it is.
@attached(
  member,
  names: named(ID), named(entity), named(_storage), named(init), named(Fields), named(Snapshot), named(snapshot),
  named(_checkInverses))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel)
public macro Model(_ name: String) = #externalMacro(module: "RepriseObjectGraphMacros", type: "ModelMacro")
#endif
