/// How far a migration is.
public struct MigrationProgress: Hashable, Sendable {
  /// The migration's name.
  public let migration: String
  /// The version that it leads to.
  public let version: Int
  /// The entity whose objects are being converted or mapped.
  public let entity: String
  /// The attribute; of a mapping what it does, as "Cat to Pet".
  public let property: String
  /// How many objects of the entity are done.
  public let done: Int
  /// How many there are.
  public let total: Int
}
