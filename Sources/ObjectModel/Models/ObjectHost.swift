/// The requests of an object to its context.
///
/// A protocol in this module, so that objects need not know the type of the context.
package protocol ObjectHost: AnyObject {
  /// Gives the storage its values, or marks it deleted or unreadable. Reports no other failure.
  func fill(_ storage: ObjectStorage)
  /// Records that the program read a property, or ``ObjectStorage/existence``. Called only if the storage is tracked.
  func didRead(_ slot: Int, of storage: ObjectStorage)
  /// Records that the stored value of an attribute does not belong to its type, so that a getter returned the default.
  func misread(_ slot: Int, of storage: ObjectStorage)
  /// Records the change of an attribute.
  func set(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage)
  /// Makes a to-one relationship refer to an object, or to nothing.
  func setToOne(_ object: (any PersistentModel)?, at slot: Int, of storage: ObjectStorage)
  /// The object at the end of a to-one relationship.
  func toOne(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)?
  /// The objects at the end of a to-many relationship, in the order of their creation.
  func toMany(_ slot: Int, of storage: ObjectStorage) -> [any PersistentModel]
  /// Adds an object to a to-many relationship.
  func insertMember(_ object: any PersistentModel, into slot: Int, of storage: ObjectStorage)
  /// Removes an object from a to-many relationship.
  func removeMember(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage)
  /// Groups all changes that `body` makes into one undo step.
  func asOneStep(_ body: () -> Void)
  /// Inserts a detached object, and all detached objects that its relationships reach, then calls `body`. All of this
  /// is one undo step.
  func adopt(_ object: any PersistentModel, _ body: () -> Void)
  /// Whether an object is in a to-many relationship. O(log n).
  func contains(_ object: any PersistentModel, at slot: Int, of storage: ObjectStorage) -> Bool
  /// The object at a position of an ordered to-many relationship. `nil` if there are not so many objects. O(log n).
  func member(at position: Int, _ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)?
  /// The position of an object in an ordered to-many relationship. `nil` if the object is not a member. O(log n).
  func position(of object: any PersistentModel, _ slot: Int, of storage: ObjectStorage) -> Int?
  /// Inserts or moves an object before the one at a position of an ordered to-many relationship, or at its end.
  func insertMember(_ object: any PersistentModel, at position: Int, into slot: Int, of storage: ObjectStorage)
  /// Inserts or moves objects, in their order, between two neighbours in an ordered to-many relationship. A `nil`
  /// neighbour stands for the beginning or the end. Takes a step for each object, without look-ups. If there is no
  /// room, changes nothing and returns false.
  func insertMembers(
    _ objects: [any PersistentModel], between lower: (any PersistentModel)?, and upper: (any PersistentModel)?,
    into slot: Int, of storage: ObjectStorage
  ) -> Bool
  /// The number of objects at the end of a to-many relationship.
  func toManyCount(_ slot: Int, of storage: ObjectStorage) -> Int
  /// The first object of ``toMany(_:of:)``. Makes no other instance.
  func toManyFirst(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)?
}
