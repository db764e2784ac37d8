import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension Projection {
  /// The groups of a grouped fetch, in its order.
  func groups(_ grouping: CompiledGrouping, _ map: EntityMap) throws(FetchError) -> [CompiledGrouping.Row] {
    if let rows = try reading({ () throws(StoreError) in try countedGroups(grouping, map) }) {
      return grouping.finish(rows)
    }
    return grouping.finish(try scannedGroups(grouping, map))
  }

  private func scannedGroups(
    _ grouping: CompiledGrouping, _ map: EntityMap
  ) throws(FetchError) -> [CompiledGrouping.Row] {
    var groups = GroupedRows(grouping)
    try forEachMatch(grouping.fetch, map, reading: grouping.slots) { id, values in groups.add(values, id, self) }
    return try groups.rows()
  }

  /// Aggregates over everything that a fetch finds, each from an index if that tells.
  func aggregates(
    _ columns: [AggregateTerm], _ fetch: CompiledFetch, _ map: EntityMap
  ) throws(FetchError) -> [PropertyValue] {
    let schema = store.map.schema
    let all = try CompiledGrouping(fetch, keys: [], columns: columns, schema: schema)
    var results: [PropertyValue?] = []
    for aggregate in all.aggregates {
      results.append(try reading { () throws(StoreError) in try indexed(aggregate, fetch, map) })
    }
    let rest = columns.indices.filter { results[$0] == nil }
    if !rest.isEmpty {
      let grouping = try CompiledGrouping(fetch, keys: [], columns: rest.map { columns[$0] }, schema: schema)
      let values = try scannedGroups(grouping, map).first?.values ?? []
      for (place, value) in zip(rest, values) { results[place] = value }
    }
    return results.map { $0 ?? .null }
  }

  /// The different values of a term in ascending order, nil left out.
  func distinct(_ key: GroupTerm, _ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> [PropertyValue] {
    let grouping = try CompiledGrouping(fetch, keys: [key], columns: [], schema: store.map.schema)
    let known = try reading { () throws(StoreError) -> [PropertyValue]? in
      guard let (slot, collation) = grouping.ownKey,
        let range = try CoveredRange(fetch, map, slot: slot, collation, self)
      else { return nil }
      var values: [PropertyValue] = []
      let isDone: Void? = try range.forEachRun(withNil: false) { (key, _) throws(StoreError) in
        if let value = try range.value(ofRow: key) { values.append(value) }
      }
      return isDone == nil ? nil : values
    }
    if let known { return known }
    return try groups(grouping, map).map { $0.keys[0] }.filter { !$0.isNull }
  }

  /// `nil` if objects must be read.
  private func indexed(
    _ aggregate: CompiledAggregate, _ fetch: CompiledFetch, _ map: EntityMap
  ) throws(StoreError) -> PropertyValue? {
    guard let slot = aggregate.ownAttribute,
      let range = try CoveredRange(fetch, map, slot: slot, aggregate.collation, self)
    else { return nil }
    switch aggregate.function {
    case .minimum: return try range.minimum()
    case .maximum: return try range.maximum()
    case .count: return try range.countOfValues().map { .int(Int64($0)) }
    case .distinctCount:
      var count = 0
      let isDone: Void? = try range.forEachRun(withNil: false) { _, _ in count += 1 }
      return isDone == nil ? nil : .int(Int64(count))
    case .objectCount, .sum, .average: return nil
    }
  }

  /// The groups by an indexed attribute of which only the number of objects is asked; `nil` if objects must be read.
  private func countedGroups(
    _ grouping: CompiledGrouping, _ map: EntityMap
  ) throws(StoreError) -> [CompiledGrouping.Row]? {
    guard let (slot, collation) = grouping.ownKey, grouping.aggregates.allSatisfy({ $0.function == .objectCount }),
      let range = try CoveredRange(grouping.fetch, map, slot: slot, collation, self)
    else { return nil }
    var rows: [CompiledGrouping.Row] = []
    var isComplete = true
    let isDone: Void? = try range.forEachRun(withNil: true) { (key, length) throws(StoreError) in
      guard let value = try range.value(ofRow: key) else { return isComplete = false }
      let counts = grouping.aggregates.map { _ in PropertyValue.int(Int64(length)) }
      rows.append(
        CompiledGrouping.Row(key: grouping.key(of: [value]), keys: [value], count: length, values: counts))
    }
    return isDone == nil || !isComplete ? nil : rows
  }

  private func reading<Result>(_ body: () throws(StoreError) -> Result) throws(FetchError) -> Result {
    do throws(StoreError) {
      return try body()
    } catch {
      throw .notReadable(error.description)
    }
  }
}
