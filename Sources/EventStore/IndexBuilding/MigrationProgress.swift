/// The progress of an opening that works on the objects of a store: migrations, derived attributes that are new or have
/// another version, and unique indexes.
public struct MigrationProgress: Equatable, Sendable {
  /// The kind of work on the objects.
  public enum Work: Equatable, Sendable {
    /// A migration converts or maps the objects.
    case migration
    /// Derived attributes of the objects are computed and stored.
    case derivation
    /// The library builds an index that must be ready before the store is open: a unique index, or the order of a
    /// relationship.
    case index
  }

  /// The kind of work.
  public let work: Work
  /// The name of the migration; empty for other work.
  public let migration: String
  /// The version that the migration leads to; 0 for other work.
  public let version: Int
  /// The name of the entity whose objects are worked on.
  public let entity: String
  /// The subject of the work, as text. For a conversion, it is the name of the attribute. For ``Work/derivation``, it
  /// is the names of the derived attributes, separated by commas. For ``Work/index``, it is the columns of the index,
  /// and for a mapping its description, such as "Cat to Pet".
  public let property: String
  /// The number of objects that are done. For an index, reading an object counts as one half, and writing its row as
  /// the other.
  public let done: Int
  /// The number of objects of the entity.
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
