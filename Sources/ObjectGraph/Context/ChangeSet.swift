import RepriseEventStore
import RepriseObjectModel

/// The net uncommitted changes of a context. An object that was inserted and then deleted is not included.
public struct ChangeSet: Equatable, Sendable {
  /// The inserted objects, in order of creation.
  public let inserted: [AnyObjectID]
  /// The objects with changed attributes or relationships, in order of creation.
  public let updated: [AnyObjectID]
  /// The deleted objects, in order of creation.
  public let deleted: [AnyObjectID]

  /// Whether there are no changes.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// - Parameters:
  ///   - changes: At most one change of each object.
  ///   - links: The entities whose objects are links. Their changes are changes of the related objects.
  ///   - owners: Finds the owners of ordered relationships whose changed link got another place.
  init(
    _ changes: some Sequence<(AnyObjectID, ObjectChange)>, links: Set<EntityName>,
    owners: (AnyObjectID, [PropertyChange]) -> [AnyObjectID]
  ) {
    var inserted: [AnyObjectID] = []
    var updated: [AnyObjectID] = []
    var deleted: [AnyObjectID] = []
    var related: Set<AnyObjectID> = []
    for (id, change) in changes {
      if links.contains(id.name) {
        related.formUnion(change.references)
        if case .updated(let changes) = change { related.formUnion(owners(id, changes)) }
        continue
      }
      switch change {
      case .inserted: inserted.append(id)
      case .updated: updated.append(id)
      case .deleted: deleted.append(id)
      }
    }
    related.subtract(inserted + updated + deleted)
    updated += related
    self.inserted = inserted.sorted()
    self.updated = updated.sorted()
    self.deleted = deleted.sorted()
  }
}
