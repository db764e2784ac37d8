/// A pair of objects in a many-to-many relationship. It is an object of an entity that the schema makes for the
/// relationship, with a to-one to either side. Programs see only the two objects.
///
/// So all rules of objects also hold for links, and adding a link is an event of a few bytes. Overlays, drafts, merges,
/// indexes and the log need no code for many-to-many.
package final class Link: PersistentModel {
  /// Only fulfils the requirement. Each relationship has a separate entity.
  package static let entity = Entity(Link.self, name: "", properties: [])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package struct Fields: FieldSet {
    package typealias Model = Link
    package init(_ path: FieldPath) {}
  }

  package struct Snapshot: Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}
