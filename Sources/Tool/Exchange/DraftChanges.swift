import RepriseCore
import RepriseObjectModel

/// The changes of a draft in the form of a transaction's changes.
struct DraftChanges {
  /// In the order of the IDs.
  let all: [LoggedTransaction.Change]

  init(_ draft: DraftInfo, of store: Store) {
    let map = store.map
    let links = map.stored.links
    var (changes, pairs): ([LoggedTransaction.Change], [LoggedTransaction.Change]) = ([], [])
    for id in draft.changes.keys.sorted() {
      guard let change = draft.changes[id], let entity = map.map(id.name) else { continue }
      let values = Self.values(change, entity.entity)
      // The pairs of a relationship are objects of the library, and belong to the objects at both ends.
      if let relationship = links[entity.number] {
        func end(_ name: String) -> AnyObjectID? {
          values.first { $0.property == name }.flatMap { $0.from.reference ?? $0.to.reference }
        }
        guard change.kind != .updated, let owner = end(Link.ownerName), let member = end(Link.memberName) else {
          continue
        }
        pairs += relationship.changes(isAdded: change.kind == .inserted, owner: owner, member: member)
      } else {
        let kind: LoggedTransaction.Change.Kind =
          switch change.kind {
          case .inserted: .inserted
          case .updated: .updated
          case .deleted: .deleted
          }
        changes.append(
          LoggedTransaction.Change(
            object: id, kind: kind,
            properties: values.map { PropertyDifference(property: $0.property, form: .value(from: $0.from, to: $0.to)) }
          ))
      }
    }
    changes.join(pairs)
    all = changes.sorted { $0.object < $1.object }
  }

  private static func values(
    _ change: ObjectChange, _ entity: Entity
  ) -> [(property: String, from: PropertyValue, to: PropertyValue)] {
    func whole(
      _ values: ContiguousArray<PropertyValue>, _ pair: (PropertyValue) -> (from: PropertyValue, to: PropertyValue)
    ) -> [(property: String, from: PropertyValue, to: PropertyValue)] {
      values.indices.filter { values[$0] != .null && $0 < entity.properties.count }.map { slot in
        (entity.properties[slot].name, pair(values[slot]).from, pair(values[slot]).to)
      }
    }
    switch change {
    case .inserted(let values): return whole(values) { (.null, $0) }
    case .deleted(let values): return whole(values) { ($0, .null) }
    case .updated(let changes):
      return changes.filter { $0.slot < entity.properties.count }
        .map { (entity.properties[$0.slot].name, $0.old, $0.new) }
    }
  }
}
