import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// What a context sees at one moment: a position of the log, and the overlays above it. A value, so that a list can go
/// on answering for the moment that its rows were announced for.
///
/// A class only to note a failure of the store where the asker cannot throw; made anew for each use.
package final class Projection: FetchSource {
  package let store: Store
  package let position: Position
  let layers: [Overlay]
  /// The first failure met.
  package private(set) var failure: StoreError?

  init(store: Store, position: Position, layers: [Overlay]) {
    self.store = store
    self.position = position
    self.layers = layers.filter { !$0.isEmpty }
  }

  /// The values of an object; `nil` where it does not exist.
  package func read(_ id: AnyObjectID, _ map: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>? {
    var reading: ObjectReading = .absent
    var remaining = layers[...]
    // An insertion hides what lies below it.
    if let top = layers.lastIndex(where: { if case .inserted = $0.changes[id] { true } else { false } }),
      case .inserted(let values) = layers[top].changes[id]
    {
      reading = .present(values)
      remaining = layers[(top + 1)...]
    } else if let values = try store.values(of: id.uuid, map, at: position) {
      reading = .present(values)
    }
    for layer in remaining { reading = reading.under(layer.changes[id], map.entity) }
    return reading.values
  }

  package func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>? {
    guard let map = store.map.map(id.name) else { return nil }
    do throws(StoreError) {
      return try read(id, map)
    } catch {
      note(error)
      return nil
    }
  }

  package func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID] {
    guard let map = store.map.map(id.name), let end = store.map.schema.relationship(slot, of: map.entity),
      let members = store.map.map(end.target.interned)
    else { return [] }
    do throws(StoreError) {
      var uuids = try store.sources(members, slot: end.inverseSlot, target: id.uuid, at: position)
      let touched = layers.candidates(end.target.interned, end.inverseSlot, id.uuid, stored: uuids)
      if !touched.isEmpty {
        uuids.removeAll { touched.contains($0) }
        for uuid in touched {
          let values = try read(AnyObjectID(end.target.interned, uuid), members)
          if values?[end.inverseSlot].reference?.uuid == id.uuid { uuids.append(uuid) }
        }
        uuids.sort()
      }
      return uuids.map { AnyObjectID(end.target.interned, $0) }
    } catch {
      note(error)
      return []
    }
  }

  private func note(_ error: StoreError) { if failure == nil { failure = error } }

  /// The objects of an entity that some overlay changed.
  package func overlaid(_ map: EntityMap) -> Set<UniqueID> {
    var uuids: Set<UniqueID> = []
    for layer in layers { for id in layer.changes.keys where id.name == map.entity.interned { uuids.insert(id.uuid) } }
    return uuids
  }
}

extension ObjectContext {
  /// What this context sees now.
  package var projection: Projection { Projection(store: store, position: position, layers: layers) }
}
