import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension Projection {
  /// The groups of a grouped fetch, in its order.
  func groups(_ grouping: CompiledGrouping, _ map: EntityMap) throws(FetchError) -> [CompiledGrouping.Row] {
    let rows = grouping.finish(try foundGroups(grouping, map).rows)
    for row in rows { if let misread = grouping.misread(row.keys, of: row.oldest) { throw misread } }
    return rows
  }

  /// The groups in any order, and how their objects were found.
  func foundGroups(
    _ grouping: CompiledGrouping, _ map: EntityMap
  ) throws(FetchError) -> (rows: [CompiledGrouping.Row], FetchFinding) {
    if let found = try reading({ () throws(StoreError) in try countedGroups(grouping, map) }) {
      return (found.rows, reported(found.1))
    }
    return try scannedGroups(grouping, map)
  }

  private func scannedGroups(
    _ grouping: CompiledGrouping, _ map: EntityMap
  ) throws(FetchError) -> (rows: [CompiledGrouping.Row], FetchFinding) {
    var groups = GroupedRows(grouping)
    let relatedObjects = RelatedObjectCache(self)
    var finding = try forEachMatch(grouping.fetch, map, reading: grouping.slots) { id, values in
      groups.add(values, id, relatedObjects)
    }
    let rows = try groups.rows()
    finding.rowsInMemory = max(finding.rowsInMemory, rows.count)
    return (rows, finding)
  }

  /// Aggregates over all objects of a fetch, each from an index if possible.
  func aggregates(
    _ columns: [AggregateTerm], _ fetch: CompiledFetch, _ map: EntityMap
  ) throws(FetchError) -> [PropertyValue] { try foundAggregates(columns, fetch, map).values }

  /// The aggregates, and how their objects were found. If no object was read, the index that was used.
  func foundAggregates(
    _ columns: [AggregateTerm], _ fetch: CompiledFetch, _ map: EntityMap
  ) throws(FetchError) -> (values: [PropertyValue], FetchFinding) {
    let schema = store.map.schema
    let all = try CompiledGrouping(fetch, keys: [], columns: columns, schema: schema)
    var results: [PropertyValue?] = []
    var index: Int?
    for aggregate in all.aggregates {
      let known = try reading { () throws(StoreError) in try indexed(aggregate, fetch, map) }
      results.append(known?.value)
      if let known { index = known.index ?? index }
    }
    let rest = columns.indices.filter { results[$0] == nil }
    var finding = FetchFinding(ranksIn: index, visits: 0)
    if !rest.isEmpty {
      let grouping = try CompiledGrouping(fetch, keys: [], columns: rest.map { columns[$0] }, schema: schema)
      let scanned = try scannedGroups(grouping, map)
      for (place, value) in zip(rest, scanned.rows.first?.values ?? []) { results[place] = value }
      finding = scanned.1
    }
    return (results.map { $0 ?? .null }, reported(finding))
  }

  /// The different values of a term in ascending order, nil left out.
  func distinct(_ key: GroupTerm, _ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> [PropertyValue] {
    let grouping = try CompiledGrouping(fetch, keys: [key], columns: [], schema: store.map.schema)
    let known = try reading { () throws(StoreError) -> [(value: PropertyValue, object: UniqueID)]? in
      guard let (slot, collation) = grouping.ownKey,
        let range = try CoveredRange(fetch, map, slot: slot, collation, self)
      else { return nil }
      var values: [(value: PropertyValue, object: UniqueID)] = []
      let isDone: Void? = try range.forEachRun(withNil: false) { (key, _) throws(StoreError) in
        if let value = try range.value(ofRow: key), let uuid = RowKey.uuid(key) { values.append((value, uuid)) }
      }
      return isDone == nil ? nil : values
    }
    if let known {
      for (value, object) in known { if let misread = grouping.misread([value], of: object) { throw misread } }
      return known.map(\.value)
    }
    return try groups(grouping, map).map { $0.keys[0] }.filter { !$0.isNull }
  }

  /// `nil` if objects must be read.
  private func indexed(
    _ aggregate: CompiledAggregate, _ fetch: CompiledFetch, _ map: EntityMap
  ) throws(StoreError) -> (value: PropertyValue, index: Int?)? {
    if aggregate.function == .objectCount {
      guard fetch.limit == nil, fetch.offset == 0, let count = try exactCount(fetch, map) else { return nil }
      return (.int(Int64(count)), fetch.access.slot)
    }
    guard let slot = aggregate.ownAttribute,
      let range = try CoveredRange(fetch, map, slot: slot, aggregate.collation, self)
    else { return nil }
    // If the attribute's type cannot hold a value, reading the objects names the one that has it.
    func readable(_ value: PropertyValue?) -> (value: PropertyValue, index: Int?)? {
      guard let value, !aggregate.misreads(value) else { return nil }
      return (value, range.indexSlot)
    }
    switch aggregate.function {
    case .minimum: return readable(try range.minimum())
    case .maximum: return readable(try range.maximum())
    case .count: return try range.countOfValues().map { (.int(Int64($0)), range.indexSlot) }
    case .distinctCount:
      var count = 0
      var isReadable = true
      let isDone: Void? = try range.forEachRun(withNil: false) { (key, _) throws(StoreError) in
        count += 1
        guard aggregate.checksEveryValue, isReadable, let value = try range.value(ofRow: key) else { return }
        isReadable = !aggregate.misreads(value)
      }
      return isDone == nil || !isReadable ? nil : (.int(Int64(count)), range.indexSlot)
    case .objectCount, .sum, .average: return nil
    }
  }

  /// The groups by an indexed attribute, if only the number of objects is requested. `nil` if objects must be read.
  private func countedGroups(
    _ grouping: CompiledGrouping, _ map: EntityMap
  ) throws(StoreError) -> (rows: [CompiledGrouping.Row], FetchFinding)? {
    guard let (slot, collation) = grouping.ownKey, grouping.aggregates.allSatisfy({ $0.function == .objectCount }),
      let range = try CoveredRange(grouping.fetch, map, slot: slot, collation, self)
    else { return nil }
    var rows: [CompiledGrouping.Row] = []
    var isComplete = true
    let isDone: Void? = try range.forEachRun(withNil: true) { (key, length) throws(StoreError) in
      guard let value = try range.value(ofRow: key), let uuid = RowKey.uuid(key) else { return isComplete = false }
      let counts = grouping.aggregates.map { _ in PropertyValue.int(Int64(length)) }
      rows.append(
        CompiledGrouping.Row(
          key: grouping.key(of: [value]), keys: [value], count: length, oldest: uuid, values: counts))
    }
    return isDone == nil || !isComplete ? nil : (rows, FetchFinding(ranksIn: range.indexSlot, visits: rows.count))
  }

  private func reading<Result>(_ body: () throws(StoreError) -> Result) throws(FetchError) -> Result {
    do throws(StoreError) {
      return try body()
    } catch {
      throw FetchError(reading: error)
    }
  }
}
