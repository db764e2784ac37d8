#if Macros
import RepriseObjectModel

/// Says more about an attribute of a model.
public enum AttributeOption: Hashable, Sendable {
  /// A counted index keeps the objects in the order of this attribute: a list sorted by it finds its n-th row, and the
  /// row of an object, in O(log n). Each save that changes the attribute writes the index too.
  case indexed
  /// What two add to a number at the same time both counts: ``MergeRule/counter``.
  case counter
  /// What two put into a set at the same time, or take out, both counts: ``MergeRule/set``.
  case set
  /// Of two who change it at the same time the one who saves last has the last word: ``MergeRule/lastWriter``.
  case lastWriter
}

/// Gives options to an attribute of a class with ``Model()``.
@attached(peer)
public macro Attribute(_ options: AttributeOption...) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "AttributeMacro")

/// Makes a property of a class with ``Model()`` a relationship to one object, or says more about one to many.
///
/// ```swift
/// @Relationship(deleteRule: .nullify, inverse: \Person.items) var owner: Person?
/// @Relationship(deleteRule: .cascade) var items: ToMany<Item>
/// ```
///
/// Every relationship has an inverse in the other model, and both ends change at once. Name the inverse at one of the
/// two ends only: two key paths that lead to each other are more than the compiler can resolve.
///
/// - Parameters:
///   - deleteRule: What happens to the objects at the other end when the one with this property is deleted.
///   - inverse: The relationship of the other model that leads back, as a key path literal.
@attached(peer)
public macro Relationship(deleteRule: DeleteRule = .nullify, inverse: AnyKeyPath? = nil) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "RelationshipMacro")

/// Keeps a stored property of a class with ``Model()`` out of the store.
///
/// It needs an initial value, or to be optional; every object that comes from the store begins with that.
@attached(peer)
public macro Transient() = #externalMacro(module: "RepriseObjectGraphMacros", type: "TransientMacro")
#endif
