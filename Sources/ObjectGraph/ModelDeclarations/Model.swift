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
/// The class must be final and must not have a base class. Its name is also the name of the model in the store. Every
/// stored property is persisted unless you mark it ``Transient()``, and needs an explicit type:
///
/// - A property of type `ToMany` or `OrderedToMany` is a to-many relationship.
/// - An optional property with ``Relationship(deleteRule:inverse:mutual:required:minimum:maximum:was:)`` is a to-one
///   relationship.
/// - Any other property is an attribute, whose type must conform to `AttributeValue`.
///
/// A default must be a constant. Attributes of types without a zero, such as enums, need a default or must be optional.
/// Objects stored before the property was declared then read as that default or `nil`.
///
/// If the class had another name before, pass it: `@Model(was: "Employee")`. For properties, see ``Attribute(_:was:)``.
///
/// The macro adds the conformance to `PersistentModel` and a description `entity`. It also adds the types `Fields` for
/// fetches and `Snapshot`, and the members that fill an object from a store.
///
/// In an initialiser, assign to-one relationships after the attributes. An assignment changes the other end at once, so
/// the object must be complete.
@attached(
  member,
  names: named(ID), named(entity), named(_storage), named(init), named(Fields), named(_keyPaths),
  named(Snapshot), named(snapshot), named(_checkInverses), named(_checkBaseClass))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel)
public macro Model(was formerNames: String...) = #externalMacro(module: "RepriseObjectGraphMacros", type: "ModelMacro")

/// Makes a class a model, like ``Model(was:)``, with a different name in the store.
///
/// For example, you can rename a class and give its old name here, so the store need not change. If you also pass
/// former names, opening the store renames the model in the store.
///
/// - Parameters:
///   - name: The model's name in the store, as a string literal.
///   - formerNames: The model's names in earlier versions of the program, as string literals.
@attached(
  member,
  names: named(ID), named(entity), named(_storage), named(init), named(Fields), named(_keyPaths),
  named(Snapshot), named(snapshot), named(_checkInverses), named(_checkBaseClass))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel)
public macro Model(_ name: String, was formerNames: String...) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "ModelMacro")
#endif
