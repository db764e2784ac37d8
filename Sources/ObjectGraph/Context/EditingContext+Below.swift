import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// The input of a merge under a policy, apart from the changes.
  func merging(_ policy: MergePolicy) throws(StoreError) -> Merging {
    var merging = Merging(policy)
    guard case .overwrite = policy else { return merging }
    for (id, change) in overlay.changes {
      guard case .updated = change, let map = store.map.map(id.name) else { continue }
      if case .present(let values) = try reading(of: id, map) { merging.shown[id] = values }
    }
    return merging
  }

  /// The outcome of a save if it took place now.
  func merge(_ merging: Merging) throws(StoreError) -> MergeOutcome {
    let changes = overlay.changes.map { ($0.key, $0.value) }
    guard let below else { return try store.objects.merge(changes, merging) }
    var state = ContextState(context: below)
    return try store.map.merge(changes, merging, over: &state)
  }

  /// The current values of an object without this context's changes. `nil` if it does not exist.
  func valuesBelow(_ id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    guard let below else { return try store.objects.values(of: id.uuid, map, at: store.refreshedHead()) }
    return try below.reading(of: id, map).values
  }

  /// Whether an object that does not exist below ever did.
  func wasThereBelow(_ id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> Bool {
    guard let below else { return try store.objects.hasRecord(of: id.uuid, map) }
    return try ContextState(context: below).wasThere(id.uuid, map)
  }

  /// Moves this context, and those above it, to another position.
  func moved(to head: Position) {
    store.movePin(from: position, to: head)
    position = head
    instances.trim()
    draft?.rebased(to: head, hash: store.drafts.baseHash(at: head))
    for child in liveChildren { child.moved(to: head) }
  }
}
