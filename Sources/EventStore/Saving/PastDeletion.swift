import RepriseLog
import RepriseObjectModel

/// The transaction that deleted an object, or the pending step of a parent that did. A merge that restores the object
/// takes the effects of the delete rules from here.
package final class PastDeletion {
  /// A reference to an object, which the deletion emptied, or which ended with the object that had it.
  package struct Reference {
    package let object: AnyObjectID
    package let slot: Int
  }

  /// The position of the transaction. `nil` if a parent has not saved the deletion.
  package let position: Position?
  /// The last values of all objects that were deleted together.
  package private(set) var deleted: [AnyObjectID: ContiguousArray<PropertyValue>] = [:]
  /// The references that the deletion emptied or ended, by the object that they led to.
  private var references: [AnyObjectID: [Reference]] = [:]

  package init(at position: Position? = nil) { self.position = position }

  /// Adds a change that was made together with the deletion.
  package func add(_ object: AnyObjectID, _ change: ObjectChange) {
    switch change {
    case .inserted: break
    case .deleted(let values):
      deleted[object] = values
      for slot in values.indices { end(values[slot], of: object, slot) }
    case .updated(let changes):
      for change in changes where change.new.isNull { end(change.old, of: object, change.slot) }
    }
  }

  private func end(_ value: PropertyValue, of object: AnyObjectID, _ slot: Int) {
    guard let target = value.reference else { return }
    references[target, default: []].append(Reference(object: object, slot: slot))
  }

  /// The references to an object by a relationship of the object, which does not store them.
  func references(to id: AnyObjectID, by end: ResolvedSchema.Relationship) -> [Reference] {
    (references[id] ?? []).filter { $0.object.name == end.target.interned && $0.slot == end.inverseSlot }
  }
}
