/// What an object asks of its context.
///
/// A protocol on this floor, so that objects need not know what a context is.
package protocol ObjectHost: AnyObject {
  /// Gives the storage its values, or marks it deleted or unreadable. Never fails otherwise.
  func fill(_ storage: ObjectStorage)
  /// Takes note that the program read a property, or ``ObjectStorage/existence``. Called if the storage is tracked.
  func didRead(_ slot: Int, of storage: ObjectStorage)
  /// Takes note that the stored value of an attribute is none of its type, so that a getter gave the default.
  func misread(_ slot: Int, of storage: ObjectStorage)
  /// Records the change of an attribute.
  func set(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage)
  /// Points a to-one relationship at an object, or at nothing.
  func setToOne(_ object: (any PersistentModel)?, at slot: Int, of storage: ObjectStorage)
  /// The object at the end of a to-one relationship.
  func toOne(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)?
  /// The objects at the end of a to-many relationship, in the order of their birth.
  func toMany(_ slot: Int, of storage: ObjectStorage) -> [any PersistentModel]
  /// Adds an object to a to-many relationship.
  func insertMember(_ object: any PersistentModel, at slot: Int, of storage: ObjectStorage)
  /// Removes an object from a to-many relationship.
  func removeMember(_ object: any PersistentModel, at slot: Int, of storage: ObjectStorage)
  /// Inserts a detached object, and every detached one that it leads to, then calls `body`: one step of undo.
  func adopt(_ object: any PersistentModel, _ body: () -> Void)
  /// How many there are.
  func toManyCount(_ slot: Int, of storage: ObjectStorage) -> Int
  /// The live instance of an object in this context, made if need be.
  func instance(of id: AnyObjectID) -> (any PersistentModel)?
}
