import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

// Plans of fetches at a position before the head, if an index keeps history or the condition names the objects. Such a
// fetch need not know which objects have changed since.

extension Projection {
  /// The plan that reads the past. `nil` at the head, if no such plan serves the fetch, or if it would cost more than
  /// finding the objects that changed.
  ///
  /// - Parameter wanted: The number of rows needed, offset included. `nil` is all.
  func pastPlan(
    _ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent, wanted: Int?
  ) throws(StoreError) -> FetchPlan? {
    guard layers.isEmpty else { return nil }
    let uuids: [UniqueID]? = if case .objects(let uuids) = fetch.access { uuids } else { nil }
    // At the head, and for most models, this is all.
    guard !map.histories.isEmpty || uuids != nil, try position < store.refreshedHead() else { return nil }
    var best: PastCandidate?
    func consider(_ other: PastCandidate) { if other.cost < best?.cost ?? .max { best = other } }
    if let uuids { consider(PastCandidate(objects: uuids, fetch)) }
    for slot in map.entity.indexes.map(\.slot) {
      guard let index = try past(map, slot: slot) else { continue }
      for candidate in try candidates(fetch, map, slot, index, content, wanted) { consider(candidate) }
    }
    guard let best, try isWorth(best.cost, fetch, map, content, wanted) else { return nil }
    readsHistory = best.plan.past?.index != nil
    return best.plan
  }

  /// Whether a plan of this cost is cheaper than one at the head, with a walk over the log before it.
  private func isWorth(
    _ cost: Int, _ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent, _ wanted: Int?
  ) throws(StoreError) -> Bool {
    // Below this cost, it is not worth a comparison.
    if cost <= 2_000 { return true }
    let present = try FetchPlanner(fetch, map, content, self).best(wanted: wanted).expected
    let isKnown = differencesAreKnown(of: map)
    let transactions = isKnown ? 0 : position.distance(to: try store.refreshedHead())
    return cost
      <= FetchPlanner.Cost.lookUp.saturating(times: present)
      .saturating(plus: PastCandidate.transaction.saturating(times: transactions))
  }

  /// The ways along an index.
  private func candidates(
    _ fetch: CompiledFetch, _ map: EntityMap, _ slot: Int, _ index: PastIndex, _ content: RowContent, _ wanted: Int?
  ) throws(StoreError) -> [PastCandidate] {
    func count(_ ranges: KeyRanges) throws(StoreError) -> Int {
      try store.indexes.rowCount(map, slot: slot, in: ranges, of: index)
    }
    let walk = PastWalk(fetch, slot, index, readsRecords: !content.isInIndex || !fetch.accessIsExact, wanted)
    if let counted = fetch.countedIndex, counted.slot == slot {
      // In the order of the fetch, and nothing but its rows.
      let ranges = KeyRanges(counted.range)
      let rows = if let wanted { wanted } else { try count(ranges) }
      return [walk.along(ranges, rows, .whole, isAscending: counted.isAscending, isExact: true)]
    }
    var found: [PastCandidate] = []
    for columns in fetch.columnRanges where columns.slot == slot {
      let rows = try count(columns.ranges)
      guard let order = fetch.order(in: columns), wanted != nil || order.isWhole else {
        found.append(walk.inAnyOrder(columns.ranges, rows))
        continue
      }
      var candidate = walk.along(
        columns.ranges, rows, order.isWhole ? .whole : .leading, isAscending: order.isAscending,
        isExact: columns.isExact)
      candidate.plan.columns = (columns.prefix.count, order.matched)
      if order.isNilGreatest { candidate.plan.nilsBehind = columns.prefix }
      found += [candidate, walk.inAnyOrder(columns.ranges, rows)]
    }
    for ranges in fetch.access.ranges(ofIndex: slot) { found.append(walk.inAnyOrder(ranges, try count(ranges))) }
    // Each object has a row.
    if found.isEmpty { found.append(walk.inAnyOrder(.all, try count(.all))) }
    return found
  }
}

/// A way to find the rows of a fetch at a position before the head.
private struct PastCandidate {
  var plan: FetchPlan
  /// In steps of a scan, as a ``FetchPlanner`` has it.
  let cost: Int

  /// The cost of a transaction that the walk over the log reads, with the object that it changed.
  static let transaction = 4
  /// The cost of an object whose record is read: a look-up, and often a transaction to take back.
  static let object = 2 * FetchPlanner.Cost.lookUp

  init(_ plan: FetchPlan, cost: Int) {
    self.plan = plan
    self.cost = cost
  }

  init(objects uuids: [UniqueID], _ fetch: CompiledFetch) {
    plan = FetchPlan(
      path: .objects(uuids), walk: .collected, order: fetch.isSorted ? .none : .whole, expected: uuids.count)
    plan.past = FetchPlan.Past(index: nil)
    cost = Self.object.saturating(times: uuids.count)
  }
}

/// The ways along one index.
private struct PastWalk {
  private let fetch: CompiledFetch
  private let slot: Int
  private let index: PastIndex
  private let wanted: Int?
  private let visit: Int

  init(_ fetch: CompiledFetch, _ slot: Int, _ index: PastIndex, readsRecords: Bool, _ wanted: Int?) {
    self.fetch = fetch
    self.slot = slot
    self.index = index
    self.wanted = wanted
    visit = readsRecords ? PastCandidate.object : FetchPlanner.Cost.row
  }

  /// In an order that the fetch can use.
  ///
  /// - Parameters:
  ///   - rows: The number of rows in the ranges.
  ///   - isExact: Whether each row matches.
  func along(
    _ ranges: KeyRanges, _ rows: Int, _ order: FetchPlan.Order, isAscending: Bool, isExact: Bool
  ) -> PastCandidate {
    // Where not each row matches, as if half of them did.
    let visits = min(rows, wanted.map { isExact && order == .whole ? $0 : $0.saturating(times: 2) } ?? rows)
    return candidate(ranges, order, isAscending, visits, cost: visit.saturating(times: visits))
  }

  /// All rows, in any order, and then sorted.
  func inAnyOrder(_ ranges: KeyRanges, _ rows: Int) -> PastCandidate {
    let isInOrder = !fetch.isSorted && !fetch.isByBirth
    let visits = isInOrder ? min(rows, wanted ?? rows) : rows
    let sorting = isInOrder || wanted != nil ? 0 : FetchPlanner.Cost.sorting.saturating(times: rows)
    return candidate(
      ranges, isInOrder ? .whole : .none, true, visits, cost: visit.saturating(times: visits).saturating(plus: sorting))
  }

  private func candidate(
    _ ranges: KeyRanges, _ order: FetchPlan.Order, _ isAscending: Bool, _ visits: Int, cost: Int
  ) -> PastCandidate {
    var plan = FetchPlan(
      path: .index(slot: slot, ranges), walk: .along(isAscending: isAscending), order: order, expected: visits)
    plan.past = FetchPlan.Past(index: index)
    return PastCandidate(plan, cost: cost)
  }
}

extension AccessPath {
  /// The ranges of the index over a slot that have all matches.
  fileprivate func ranges(ofIndex slot: Int) -> [KeyRanges] {
    switch self {
    case .index(slot, let ranges): [ranges]
    case .intersection(let parts): parts.flatMap { $0.ranges(ofIndex: slot) }
    default: []
    }
  }
}
