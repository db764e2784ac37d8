import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension Projection {
  /// The values of some terms for fetched objects.
  @frozen @usableFromInline
  struct TermRows: Hashable {
    @usableFromInline let uuids: [UniqueID]
    /// One for each term of the first object, then the values of the next one.
    @usableFromInline let values: ContiguousArray<PropertyValue>

    init(uuids: [UniqueID] = [], values: ContiguousArray<PropertyValue> = []) {
      self.uuids = uuids
      self.values = values
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

  /// A finding with what the whole projection had to read for it.
  func reported(_ finding: FetchFinding) -> FetchFinding {
    var finding = finding
    (finding.readsHistory, finding.transactionsRead) = (readsHistory, transactionsRead)
    return finding
  }

  /// Runs a fetch along the best plan; along the cheapest if that one's budget was exhausted.
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
        return (run, plan, run.visited)
      }
      if let plan = FetchPlan.covering(fetch, wanted: wanted) {
        let run = FetchRun(fetch, map, plan, wanted: wanted, content, self)
        try run.run()
        if let failure { throw failure }
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
      let differing = try headDifferences(map).rows.uuids
      if differing.isEmpty { return try store.objects.count(of: map) }
      var count = try storedCount(of: map)
      for uuid in differing where overlaysExistence(AnyObjectID(map.entity.interned, uuid)) {
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

  /// The number of objects whose to-one leads to one of these. Only records of objects that differ here are read.
  private func count(_ map: EntityMap, _ slot: Int, leadingTo targets: [AnyObjectID]) throws(StoreError) -> Int {
    let path = AccessPath.inverse(slot: slot, targets: targets)
    // First, so that later changes are among the differing objects.
    let stored = try stored(on: path, map)
    let hidden = try headDifferences(map).rows.uuids
    if hidden.isEmpty { return stored.count }
    return try stored.lazy.filter { !hidden.contains($0) }.count + differing(on: path, map).count
  }

  private func matchingCount(_ fetch: CompiledFetch, _ map: EntityMap) throws(StoreError) -> Int {
    let fetch = fetch.unordered(limit: nil)
    let run = FetchRun(fetch, map, try directPlan(fetch, map, .count), wanted: nil, .count, self)
    try run.run()
    return run.rowCount
  }

  /// The plan that reads the fewest objects, in any order.
  func directPlan(_ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent) throws(StoreError) -> FetchPlan {
    if let past = try pastPlan(fetch, map, content, wanted: nil) { return past }
    return try FetchPlanner(fetch, map, content, self).direct(wanted: nil)
  }

  func exists(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> Bool {
    // With an offset or a limit of none, those before do not count.
    if fetch.offset > 0 || fetch.limit == 0 { return try count(fetch, map) > 0 }
    return try run(fetch.unordered(limit: 1), map, .count).run.rowCount > 0
  }
}

extension AccessPath {
  /// The index that the count comes from. `nil` if it is the store's counter.
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
