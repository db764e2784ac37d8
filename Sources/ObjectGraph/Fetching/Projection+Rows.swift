import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension Projection {
  /// A fetched object.
  package struct Row {
    package let uuid: UniqueID
    package let values: ContiguousArray<PropertyValue>
  }

  /// The rows of a fetch, in its order, within its limit and offset.
  package func rows(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> [Row] {
    if fetch.limit == 0 { return [] }
    // On overflow the offset alone skips every object.
    let wanted = fetch.limit.map { fetch.offset > Int.max - $0 ? Int.max : fetch.offset + $0 }
    let found: TopRows
    do throws(StoreError) {
      let direct = FetchPlan(direct: fetch)
      let plan = if let wanted { try FetchPlan(fetch, map, wanted: wanted, store) } else { direct }
      if let rows = try rows(fetch, map, plan, wanted) {
        found = rows
      } else {
        found = try rows(fetch, map, direct, wanted) ?? TopRows(limit: 0)
      }
    } catch {
      throw .notReadable(error.description)
    }
    if let failure { throw .notReadable(failure.description) }
    return found.sorted(from: fetch.offset)
  }

  /// `nil` if the plan's budget is exhausted.
  private func rows(
    _ fetch: CompiledFetch, _ map: EntityMap, _ plan: FetchPlan, _ wanted: Int?
  ) throws(StoreError) -> TopRows? {
    var rows = TopRows(limit: wanted)
    let entity = map.entity.interned
    let overlaid = overlaid(map)
    for uuid in overlaid {
      let id = AnyObjectID(entity, uuid)
      guard let values = try read(id, map), fetch.matches(values, id: id, source: self) else { continue }
      let key = fetch.sortKey(of: values, id: id, source: self)
      if rows.accepts(key) { rows.add(key, Row(uuid: uuid, values: values)) }
    }
    var left = plan.budget ?? .max
    var isUsedUp = false
    var key: [UInt8] = []
    try store.scan(map, plan.path, at: position, reading: wanted == nil ? nil : fetch.slots, excluding: overlaid) {
      object in
      if object.isInOrder {
        if let bound = rows.bound, plan.isBehind(bound, object) { return .end }
        left -= 1
        isUsedUp = left < 0
        if isUsedUp { return .end }
      }
      let id = AnyObjectID(entity, object.uuid)
      guard fetch.matches(object.values, id: id, source: self) else { return .pass }
      key = fetch.sortKey(of: object.values, id: id, source: self)
      return rows.accepts(key) ? .take : .pass
    } take: { uuid, values in
      rows.add(key, Row(uuid: uuid, values: values))
    }
    return isUsedUp ? nil : rows
  }

  package func count(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> Int {
    var count: Int
    do throws(StoreError) {
      count = if let known = try exactCount(fetch, map) { known } else { try countOneByOne(fetch, map) }
    } catch {
      throw .notReadable(error.description)
    }
    if let failure { throw .notReadable(failure.description) }
    count = max(0, count - fetch.offset)
    return fetch.limit.map { min($0, count) } ?? count
  }

  /// The count from the store's own counters and indexes; `nil` if objects must be read.
  private func exactCount(_ fetch: CompiledFetch, _ map: EntityMap) throws(StoreError) -> Int? {
    guard fetch.accessIsExact else { return nil }
    switch fetch.access {
    case .inverse: return nil
    case .scan: return overlaid(map).isEmpty ? try store.objectCount(of: map, at: position) : nil
    case .index(let slot, let range):
      guard let index = index(map, slot: slot) else { return nil }
      do throws(IndexSnapshot.Failure) {
        let upper = if let bound = range.upper { try index.rank(of: bound) } else { try index.count() }
        return max(0, upper - (try index.rank(of: range.lower)))
      } catch {
        switch error {
        case .store(let error): throw error
        case .outgrown: return nil
        }
      }
    }
  }

  private func countOneByOne(_ fetch: CompiledFetch, _ map: EntityMap) throws(StoreError) -> Int {
    var count = 0
    let entity = map.entity.interned
    let overlaid = overlaid(map)
    for uuid in overlaid {
      let id = AnyObjectID(entity, uuid)
      if let values = try read(id, map), fetch.matches(values, id: id, source: self) { count += 1 }
    }
    try store.scan(map, fetch.scanPath, at: position, reading: fetch.slotsOfCondition, excluding: overlaid) { object in
      if fetch.matches(object.values, id: AnyObjectID(entity, object.uuid), source: self) { count += 1 }
      return .pass
    } take: { _, _ in
    }
    return count
  }
}
