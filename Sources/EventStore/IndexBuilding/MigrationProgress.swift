/// How far an opening is with what it does to the objects of a store: migrations, derived attributes that are new or
/// computed otherwise, and unique indexes.
public struct MigrationProgress: Equatable, Sendable {
  /// What is done to the objects.
  public enum Work: Equatable, Sendable {
    /// A migration converts or maps them.
    case migration
    /// What derives from their attributes is computed, and stored.
    case derivation
    /// An index over them is built that the models rely on: a unique one, or the order of a relationship.
    case index
  }

  /// What is done to the objects.
  public let work: Work
  /// The migration's name; empty for other work.
  public let migration: String
  /// The version that the migration leads to; 0 for other work.
  public let version: Int
  /// The entity whose objects they are.
  public let entity: String
  /// The attribute, several separated by commas, or the columns of the index; of a mapping what it does, as "Cat to
  /// Pet".
  public let property: String
  /// How many objects of the entity are done. An index is read and then written: these are half of each.
  public let done: Int
  /// How many there are.
  public let total: Int

  init(_ work: Work, migration: String = "", version: Int = 0, entity: String, property: String, done: Int, total: Int)
  {
    self.work = work
    self.migration = migration
    self.version = version
    self.entity = entity
    self.property = property
    self.done = done
    self.total = total
  }
}
