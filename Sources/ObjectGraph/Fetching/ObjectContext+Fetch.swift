import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// The objects that match a fetch, in its order, including uncommitted changes.
  ///
  /// A condition on an indexed attribute or a to-one relationship is served by its index; any other reads every object
  /// of the model. Sorting costs O(n log n) in the number of objects found.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, or the store cannot be read.
  public func fetch<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> [Model] {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return [] }
    let rows = try projection.rows(compiled, map)
    return rows.compactMap { materialize(AnyObjectID(map.entity.interned, $0.uuid), map, values: $0.values) as? Model }
  }

  /// The number of objects that match a fetch, including uncommitted changes. Costs the same as ``fetch(_:)`` without
  /// sorting; counting all objects of a model is one read.
  ///
  /// - Throws: ``FetchError``, like ``fetch(_:)``.
  public func count<Model: PersistentModel>(_ fetch: Fetch<Model>) throws -> Int {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(Model.entity.interned) else { return 0 }
    return try projection.count(compiled, map)
  }
}

extension Projection {
  /// A fetched object.
  package struct Row {
    package let uuid: UniqueID
    package let values: ContiguousArray<PropertyValue>
  }

  /// The rows that a fetch finds, in its order, within its limit and offset.
  package func rows(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> [Row] {
    var found: [(key: [UInt8], row: Row)] = []
    try forEachMatch(fetch, map) { uuid, values in
      let id = AnyObjectID(map.entity.interned, uuid)
      found.append((fetch.sortKey(of: values, id: id, source: self), Row(uuid: uuid, values: values)))
    }
    if let failure { throw .notReadable(failure.description) }
    found.sort { $0.key.lexicographicallyPrecedes($1.key) }
    let start = min(fetch.offset, found.count)
    let end = fetch.limit.map { start + min($0, found.count - start) } ?? found.count
    return found[start..<end].map(\.row)
  }

  package func count(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> Int {
    var count = 0
    if fetch.accessIsExact, fetch.access == .scan, overlaid(map).isEmpty, let all = try wholeCount(map) {
      count = all
    } else {
      try forEachMatch(fetch, map) { _, _ in count += 1 }
    }
    if let failure { throw .notReadable(failure.description) }
    count = max(0, count - fetch.offset)
    return fetch.limit.map { min($0, count) } ?? count
  }

  private func wholeCount(_ map: EntityMap) throws(FetchError) -> Int? {
    do throws(StoreError) {
      return try store.objectCount(of: map, at: position)
    } catch {
      throw .notReadable(error.description)
    }
  }

  private func forEachMatch(
    _ fetch: CompiledFetch, _ map: EntityMap, _ body: (UniqueID, ContiguousArray<PropertyValue>) -> Void
  ) throws(FetchError) {
    let overlaid = overlaid(map)
    do throws(StoreError) {
      try store.scan(map, fetch.scanPath, at: position, excluding: overlaid) { uuid, values in
        if fetch.matches(values, id: AnyObjectID(map.entity.interned, uuid), source: self) { body(uuid, values) }
      }
      for uuid in overlaid {
        let id = AnyObjectID(map.entity.interned, uuid)
        if let values = try read(id, map), fetch.matches(values, id: id, source: self) { body(uuid, values) }
      }
    } catch {
      throw .notReadable(error.description)
    }
  }
}

extension CompiledFetch {
  /// The objects of the store that may match.
  fileprivate var scanPath: ScanPath {
    switch access {
    case .scan: .all
    case .inverse(let slot, let target): .inverse(slot: slot, target: target)
    case .index(let slot, let range): .rows(slot: slot, from: range.lower, before: range.upper)
    }
  }
}
