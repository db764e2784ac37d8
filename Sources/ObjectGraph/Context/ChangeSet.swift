import RepriseEventStore
import RepriseObjectModel

/// The net uncommitted changes of a context: an object that was inserted and then deleted is not among them.
public struct ChangeSet: Hashable, Sendable {
  /// The inserted objects, in order of creation.
  public let inserted: [AnyObjectID]
  /// The objects with changed attributes or relationships, in order of creation.
  public let updated: [AnyObjectID]
  /// The deleted objects, in order of creation.
  public let deleted: [AnyObjectID]

  /// Whether there are no changes.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  init(_ overlay: Overlay) {
    var inserted: [AnyObjectID] = []
    var updated: [AnyObjectID] = []
    var deleted: [AnyObjectID] = []
    for (id, change) in overlay.changes {
      switch change {
      case .inserted: inserted.append(id)
      case .updated: updated.append(id)
      case .deleted: deleted.append(id)
      }
    }
    self.inserted = inserted.sorted()
    self.updated = updated.sorted()
    self.deleted = deleted.sorted()
  }
}
