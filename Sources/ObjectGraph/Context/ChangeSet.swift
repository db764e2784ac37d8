import RepriseEventStore
import RepriseObjectModel

/// What is uncommitted in a context, net: an object that was inserted and deleted again is not in it.
public struct ChangeSet: Hashable, Sendable {
  /// Objects that began to exist, in the order of their birth.
  public let inserted: [AnyObjectID]
  /// Objects with changed attributes or relationships, in the order of their birth.
  public let updated: [AnyObjectID]
  /// Objects that ceased to exist, in the order of their birth.
  public let deleted: [AnyObjectID]

  /// Whether nothing changed.
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
