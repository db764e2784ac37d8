import RepriseObjectModel
import RepriseQuery

/// Objects without a context, as conditions read them: a detached object, and the objects of its relationships.
///
/// It is a class because it records the objects that the condition reaches. Detached objects cannot be found by their
/// IDs alone.
final class DetachedObjects: FetchSource {
  let schema: ResolvedSchema
  private var known: [AnyObjectID: ObjectStorage] = [:]
  /// The links between detached objects, as they would be in a store.
  private var links: [AnyObjectID: ContiguousArray<PropertyValue>] = [:]
  private var isComplete = false

  /// - Throws: The defect of the models, which no store has checked yet.
  init(_ object: any PersistentModel) throws(SchemaError) {
    var models = [object._storage.entity.model]
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(object._storage.entity)]
    var next = 0
    while next < models.count {
      for property in models[next].entity.properties {
        guard let target = property.relationship?.target, seen.insert(ObjectIdentifier(target.entity)).inserted else {
          continue
        }
        models.append(target)
      }
      next += 1
    }
    schema = try ResolvedSchema(Schema(models))
    known[object._storage.id] = object._storage
  }

  func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>? {
    if let link = links[id] { return link }
    if known[id] == nil { reachAll() }
    if let link = links[id] { return link }
    guard let storage = known[id] else { return nil }
    var values = ContiguousArray(
      storage.entity.properties.indices.map { slot in
        guard let end = schema.relationship(slot, of: storage.entity) else { return storage.value(slot) }
        guard end.stores, let target = members(of: id, slot: slot).first else { return .null }
        return .reference(target)
      })
    storage.entity.derive(&values, of: id.uuid)
    return values
  }

  func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID] {
    let objects = known[id]?.links[slot]?.objects ?? []
    for object in objects { known[object._storage.id] = object._storage }
    guard let storage = known[id], let end = schema.relationship(slot, of: storage.entity), end.far != nil else {
      return objects.map { $0._storage.id }
    }
    return objects.map { object in
      let link = end.link(id.uuid, object._storage.uuid)
      links[link.id] = link.values
      return link.id
    }
  }

  /// A condition may name an object that no relationship has led to yet.
  private func reachAll() {
    if isComplete { return }
    isComplete = true
    var open = Array(known.values)
    while let storage = open.popLast() {
      for object in storage.links.values.flatMap(\.objects) where known[object._storage.id] == nil {
        known[object._storage.id] = object._storage
        open.append(object._storage)
      }
      for slot in storage.links.keys { _ = members(of: storage.id, slot: slot) }
    }
  }
}
