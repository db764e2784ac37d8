import RepriseObjectModel
import RepriseQuery

/// Answers fetches from objects that are in no store.
struct DetachedSource: FetchSource {
  private var objects: [AnyObjectID: ObjectStorage] = [:]
  private var targets: [AnyObjectID: [Int: [AnyObjectID]]] = [:]
  private var order: [AnyObjectID] = []
  let schema: ResolvedSchema

  init(_ models: any PersistentModel.Type..., objects: [any PersistentModel]) throws {
    schema = try ResolvedSchema(Schema(models))
    for object in objects {
      let storage = object._storage
      self.objects[storage.id] = storage
      order.append(storage.id)
      for relationship in schema.relationships(of: storage.entity) {
        targets[storage.id, default: [:]][relationship.slot] =
          storage.links[relationship.slot]?.objects.map { $0._storage.id } ?? []
      }
    }
  }

  func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>? {
    guard let storage = objects[id] else { return nil }
    return ContiguousArray(
      storage.entity.properties.indices.map { slot in
        guard let end = schema.relationship(slot, of: storage.entity) else { return storage.value(slot) }
        return end.stores ? targets[id]?[slot]?.first.map { .reference($0) } ?? .null : .null
      })
  }

  func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID] { targets[id]?[slot] ?? [] }

  /// What a context would do with the fetch, without indexes.
  func run<Model: PersistentModel>(_ fetch: Fetch<Model>) throws(FetchError) -> [AnyObjectID] {
    let compiled = try CompiledFetch(fetch, schema: schema)
    var rows: [(key: [UInt8], id: AnyObjectID)] = []
    for id in order where id.entity == Model.entity.name {
      guard let values = values(of: id), compiled.matches(values, id: id, source: self) else { continue }
      rows.append((compiled.sortKey(of: values, id: id, source: self), id))
    }
    rows.sort { $0.key.lexicographicallyPrecedes($1.key) }
    return Array(rows.dropFirst(compiled.offset).prefix(compiled.limit ?? .max).map(\.id))
  }

  func compile<Model: PersistentModel>(_ fetch: Fetch<Model>) throws(FetchError) -> CompiledFetch {
    try CompiledFetch(fetch, schema: schema)
  }
}

extension CompiledFetch {
  /// Whether it is all of an attribute's index: no condition, and sorted by that attribute alone.
  func isWholeIndex(_ slot: Int, ascending: Bool) -> Bool {
    guard let index = countedIndex else { return false }
    return index.slot == slot && index.isAscending == ascending && index.range.isAll && index.sectionStart == 0
  }
}
