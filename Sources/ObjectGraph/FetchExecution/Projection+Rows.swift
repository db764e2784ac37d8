import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension Projection {
  /// The values of some terms for fetched objects.
  @frozen @usableFromInline
  struct TermRows: Hashable {
    @usableFromInline let uuids: [UniqueID]
    /// The value of each term for the first object, then the values for the next object.
    @usableFromInline let values: ContiguousArray<PropertyValue>

    init(uuids: [UniqueID] = [], values: ContiguousArray<PropertyValue> = []) {
      self.uuids = uuids
      self.values = values
    }

    /// A value as the attribute's type. `nil` for null, and for a value that the type does not take.
    @inlinable @inline(__always)
    func value<V: AttributeValue>(_: V.Type, at next: inout Int) -> V? {
      defer { next += 1 }
      return values[next].isNull ? nil : V.from(values[next])
    }

    init(_ rows: [Row]) { self.init(uuids: rows.map(\.uuid), values: ContiguousArray(rows.flatMap(\.values))) }
  }

  /// The rows of a fetch with all their values, in its order, within its limit and offset.
  package func rows(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> [Row] {
    try rows(fetch, map, .objects)
  }

  func rows(_ fetch: CompiledFetch, _ map: EntityMap, of terms: CompiledTerms) throws(FetchError) -> TermRows {
    if let (rows, _) = try rowsBehindOffset(fetch, map, .terms(terms)) { return TermRows(rows) }
    return try run(fetch, map, .terms(terms)).run.termRows(from: fetch.offset)
  }

  func rows(_ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent) throws(FetchError) -> [Row] {
    try found(fetch, map, content).rows
  }

  /// The rows, and how they were found.
  func found(
    _ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent
  ) throws(FetchError) -> (rows: [Row], FetchFinding) {
    if let (rows, counted) = try rowsBehindOffset(fetch, map, content) {
      return (rows, reported(FetchFinding(counted)))
    }
    let (run, plan, visited) = try run(fetch, map, content)
    return (run.rows(from: fetch.offset), reported(FetchFinding(plan, visits: visited, rowsInMemory: run.rowCount)))
  }

  /// A finding with the transactions that the whole projection had to read for it.
  func reported(_ finding: FetchFinding) -> FetchFinding {
    var finding = finding
    (finding.readsHistory, finding.transactionsRead) = (readsHistory, transactionsRead)
    return finding
  }

  /// Runs a fetch along the best plan. If that plan exceeds its budget, runs the fetch again along the cheapest plan.
  func run(
    _ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent
  ) throws(FetchError) -> (run: FetchRun, plan: FetchPlan, visited: Int) {
    // On overflow the offset alone skips every object.
    let wanted = fetch.limit.map { $0 == 0 ? 0 : fetch.offset > Int.max - $0 ? Int.max : fetch.offset + $0 }
    do throws(StoreError) {
      if let plan = try pastPlan(fetch, map, content, wanted: wanted) {
        let run = FetchRun(fetch, map, plan, wanted: wanted, content, self)
        try run.run()
        if let failure { throw failure }
        keep(plan, visits: run.visited, run)
        return (run, plan, run.visited)
      }
      if let plan = FetchPlan.covering(fetch, wanted: wanted) {
        let run = FetchRun(fetch, map, plan, wanted: wanted, content, self)
        try run.run()
        if let failure { throw failure }
        keep(plan, visits: run.visited, run)
        return (run, plan, run.visited)
      }
      let planner = try FetchPlanner(fetch, map, content, self)
      var plan = try planner.best(wanted: wanted)
      var run = FetchRun(fetch, map, plan, wanted: wanted, content, self)
      try run.run()
      var visited = run.visited
      if run.isGivenUp {
        plan = try planner.direct(wanted: wanted)
        run = FetchRun(fetch, map, plan, wanted: wanted, content, self)
        try run.run()
        visited += run.visited
      }
      if let failure { throw failure }
      keep(plan, visits: visited, run)
      return (run, plan, visited)
    } catch {
      throw FetchError(reading: error)
    }
  }

  package func count(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> Int {
    var count: Int
    do throws(StoreError) {
      count = if let known = try exactCount(fetch, map) { known } else { try matchingCount(fetch, map) }
      if let failure { throw failure }
    } catch {
      throw FetchError(reading: error)
    }
    count = max(0, count - fetch.offset)
    return fetch.limit.map { min($0, count) } ?? count
  }

  /// The count from the store's own counters and indexes. `nil` if objects must be read.
  func exactCount(_ fetch: CompiledFetch, _ map: EntityMap) throws(StoreError) -> Int? {
    if let count = try pastCount(fetch, map) { return count }
    guard fetch.accessIsExact else { return nil }
    switch fetch.access {
    case .scan:
      let differing = try headDifferences(map)
      // Here and at that head, the objects are the same. A save may have moved the head since.
      if differing.rows.uuids.isEmpty { return try store.objects.count(of: map, at: differing.head) }
      var count = try storedCount(of: map)
      for uuid in differing.rows.uuids where overlaysExistence(AnyObjectID(map.entity.interned, uuid)) {
        let isThere = try read(AnyObjectID(map.entity.interned, uuid), map) != nil
        let wasThere = try stored(AnyObjectID(map.entity.interned, uuid), map) != nil
        count += (isThere ? 1 : 0) - (wasThere ? 1 : 0)
      }
      return count
    case .index, .search:
      guard let (slot, ranges) = fetch.access.countedRanges, let index = try index(map, slot: slot) else { return nil }
      do throws(IndexSnapshot.Failure) {
        var count = 0
        for range in ranges { count += try index.ranks(in: range).count }
        return count
      } catch {
        switch error {
        case .store(let error): throw error
        case .outgrown: return nil
        }
      }
    case .inverse(let slot, let targets): return try count(map, slot, leadingTo: targets)
    default: return nil
    }
  }

  /// The count from an index that keeps history. `nil` if no such index counts exactly the objects of the fetch.
  private func pastCount(_ fetch: CompiledFetch, _ map: EntityMap) throws(StoreError) -> Int? {
    guard layers.isEmpty, !map.histories.isEmpty, try position < store.refreshedHead() else { return nil }
    for slot in map.entity.indexes.map(\.slot) {
      var ranges: KeyRanges?
      if fetch.access == .scan, fetch.accessIsExact { ranges = .all }
      for columns in fetch.columnRanges where columns.slot == slot && columns.isExact { ranges = columns.ranges }
      if case .index(slot, let own) = fetch.access, fetch.accessIsExact { ranges = own }
      guard let ranges, let index = try past(map, slot: slot) else { continue }
      readsHistory = true
      return try store.indexes.rowCount(map, slot: slot, in: ranges, of: index)
    }
    return nil
  }

  /// The number of objects whose to-one leads to one of `targets`. Reads only the records of objects that differ from
  /// the head.
  private func count(_ map: EntityMap, _ slot: Int, leadingTo targets: [AnyObjectID]) throws(StoreError) -> Int {
    let stored = try stored(on: .inverse(slot: slot, targets: targets), map)
    // Read after the stored objects, so that an object that changed before or since is among the differing ones. Read
    // only once, so that the same objects are left out and added.
    let rows = try headDifferences(map, order: .slot(slot)).rows
    if rows.uuids.isEmpty { return stored.count }
    let here = rows.objects(leadingTo: targets, slot: slot)
    return stored.lazy.filter { !rows.uuids.contains($0) }.count + here.count
  }

  private func matchingCount(_ fetch: CompiledFetch, _ map: EntityMap) throws(StoreError) -> Int {
    let fetch = fetch.unordered(limit: nil)
    let plan = try directPlan(fetch, map, .count)
    let run = FetchRun(fetch, map, plan, wanted: nil, .count, self)
    try run.run()
    keep(plan, visits: run.visited, run)
    return run.rowCount
  }

  /// The plan that reads the fewest objects, in any order.
  func directPlan(_ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent) throws(StoreError) -> FetchPlan {
    if let past = try pastPlan(fetch, map, content, wanted: nil) { return past }
    return try FetchPlanner(fetch, map, content, self).direct(wanted: nil)
  }

  func exists(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> Bool {
    // With an offset or a limit of 0, finding a first match is not enough.
    if fetch.offset > 0 || fetch.limit == 0 { return try count(fetch, map) > 0 }
    return try run(fetch.unordered(limit: 1), map, .count).run.rowCount > 0
  }
}

extension AccessPath {
  /// The index that gives the count. `nil` if the store's counter gives it.
  var slot: Int? {
    switch self {
    case .index(let slot, _), .search(let slot, _), .inverse(let slot, _): slot
    default: nil
    }
  }

  /// The ranges of a counted index that have one row for each object of the path. `nil` if there are none.
  fileprivate var countedRanges: (slot: Int, ranges: [KeyRange])? {
    switch self {
    case .index(let slot, let ranges): (slot, ranges.ranges)
    case .search(let slot, let words) where words.count == 1 && !words[0].isPrefix: (slot, [words[0].keys])
    default: nil
    }
  }
}
