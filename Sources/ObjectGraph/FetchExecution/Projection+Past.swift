import RepriseEventStore
import RepriseObjectModel

/// An uncommitted change of one object. Property names identify its values, so that it outlives the process and the
/// version of the model.
package struct UncommittedObject: Hashable, Sendable, Codable {
  package let id: AnyObjectID
  package let isInserted: Bool
  /// The values. For an update, the changed values. `nil` if the object was deleted.
  package let values: [String: PropertyValue]?
}

extension Projection {
  /// Whether uncommitted changes lie above the log.
  package var hasOverlays: Bool { !layers.isEmpty }

  /// The uncommitted changes of these entities. `nil` if there are more than `limit`.
  package func uncommitted(in entities: [EntityName], limit: Int) -> [UncommittedObject]? {
    var changes: [AnyObjectID: ObjectChange] = [:]
    for layer in layers {
      for (id, change) in layer.changes where entities.contains(id.name) {
        changes[id] = changes[id].map { $0.followed(by: change) } ?? change
      }
      if changes.count > limit { return nil }
    }
    return changes.sorted { $0.key < $1.key }.compactMap { id, change in
      guard let entity = store.map.map(id.name)?.entity else { return nil }
      func named(_ values: some Sequence<(slot: Int, value: PropertyValue)>) -> [String: PropertyValue] {
        values.reduce(into: [:]) { $0[entity.properties[$1.slot].name] = $1.value }
      }
      let values: [String: PropertyValue]? =
        switch change {
        case .inserted(let values): named(values.enumerated().map { (slot: $0, value: $1) })
        case .updated(let changes): named(changes.map { (slot: $0.slot, value: $0.new) })
        case .deleted: nil
        }
      return UncommittedObject(id: id, isInserted: change.isInsertion, values: values)
    }
  }

  /// The view at another position, with other uncommitted changes: the view of a context in the past. Changes that have
  /// left the version window are read from the log. Pin the position while it is used.
  package func past(at position: Position, uncommitted: [UncommittedObject]) -> Projection {
    let changes = uncommitted.compactMap { object -> (object: AnyObjectID, change: ObjectChange)? in
      // Nothing in this program reads objects of a model that it lacks.
      guard let entity = store.map.map(object.id.name)?.entity else { return nil }
      guard let values = object.values else { return (object.id, .deleted([])) }
      if object.isInserted {
        var all = entity.defaults
        for (name, value) in values { if let slot = entity.slot(everNamed: name) { all[slot] = value } }
        return (object.id, .inserted(all))
      }
      let changes = values.compactMap { name, value in
        entity.slot(everNamed: name).map { PropertyChange(slot: $0, old: .null, new: value) }
      }
      return (object.id, .updated(changes.sorted { $0.slot < $1.slot }))
    }
    let layers = changes.isEmpty ? [] : [Overlay(changes)]
    return Projection(store: store, position: position, layers: layers, differences: HeadDifferences())
  }
}
