import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// Chooses the plan of a fetch by the number of rows on each path, which indexes count exactly.
struct FetchPlanner {
  let fetch: CompiledFetch
  private let projection: Projection
  let counts: PathCounts
  /// Whether the records of the objects must be read, or an index may answer alone.
  private let readsRecords: Bool
  /// The map of the entity whose index has the first sort key, if that key is behind a to-one.
  private let targetMap: EntityMap?
  var all: Int { counts.all }

  /// The cost of visiting an object, in steps of a scan.
  enum Cost {
    static let scan = 1
    static let row = 1
    static let lookUp = 3
    /// The additional cost of splitting its text into words.
    static let words = 8
    /// The additional cost of sorting it at the end. A bounded heap makes that unnecessary.
    static let sorting = 2
  }

  init(
    _ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent, _ projection: Projection
  ) throws(StoreError) {
    self.fetch = fetch
    self.projection = projection
    readsRecords = !content.isInIndex || !fetch.accessIsExact
    counts = try PathCounts(map, projection.store)
    targetMap = fetch.referenceOrder.flatMap { projection.store.map.map($0.target.interned) }
  }

  private var visit: Int { readsRecords ? Cost.lookUp : Cost.row }

  /// The cost of testing an object that was not found through a search index.
  private var test: Int { fetch.access.searches ? Cost.words : 0 }

  /// The candidates that are cheapest to collect.
  struct Candidates {
    let path: AccessPath
    /// The number of the candidates.
    let count: Int
    /// The cost of finding them, in addition to one step for each.
    var walking = 0
  }

  /// - Parameter wanted: The number of rows needed, offset included. `nil` is all.
  func best(wanted: Int?) throws(StoreError) -> FetchPlan {
    if let wanted, let search = search(wanted) { return search }
    let found = try cheapest(wanted)
    let (direct, cost) = direct(found, wanted)
    return try ordered(wanted, found.count, against: cost) ?? direct
  }

  /// The plan that reads the fewest objects, in any order.
  func direct(wanted: Int?) throws(StoreError) -> FetchPlan {
    direct(try cheapest(wanted), wanted).plan
  }

  private func direct(_ found: Candidates, _ wanted: Int?) -> (plan: FetchPlan, cost: Int) {
    let (path, matching) = (found.path, found.count)
    let order: FetchPlan.Order = fetch.isSorted ? .none : .whole
    let sorting = !fetch.isSorted || wanted != nil ? 0 : Cost.sorting.saturating(times: matching)
    // A search in order of creation, or in any, ends early.
    let visits = path.searches && !fetch.isSorted ? min(matching, wanted ?? .max) : matching
    let looks = visit.saturating(times: visits).saturating(plus: found.walking)
    let scan = (Cost.scan + test).saturating(times: all)
    // Up to 64 objects are always looked up, so that the fetch does not depend on unrelated objects that are
    // unreadable.
    if path == .scan || looks >= scan && matching > 64 {
      let plan = FetchPlan(path: .scan, walk: .along(isAscending: true), order: order, expected: all)
      return (plan, scan.saturating(plus: sorting))
    }
    let walk: FetchPlan.Walk =
      switch path {
      case .search: .along(isAscending: true)
      case .index where !fetch.isByBirth: .along(isAscending: true)
      default: .collected
      }
    return (FetchPlan(path: path, walk: walk, order: order, expected: visits), looks.saturating(plus: sorting))
  }

  /// A plan in the order of the fetch. `nil` if no walk has that order, or if the cheapest plan is expected to cost
  /// less.
  private func ordered(_ wanted: Int?, _ matching: Int, against cost: Int) throws(StoreError) -> FetchPlan? {
    var best: (plan: FetchPlan, cost: Int)?
    func consider(_ other: (plan: FetchPlan, cost: Int)?) {
      if let other, other.cost <= cost, other.cost < best?.cost ?? .max { best = other }
    }
    if let isAscending = fetch.ascendsByBirth {
      if let wanted, wanted < matching {
        let visits = visits(wanted, of: matching, among: all)
        let step = Cost.scan + test
        let walking = step.saturating(times: visits)
        // This walk is considered only if it costs less than the cheapest plan.
        if walking < cost {
          let plan = FetchPlan(
            path: .scan, walk: .along(isAscending: isAscending), order: .whole, expected: visits, budget: cost / step)
          consider((plan, walking))
        }
      }
    } else {
      consider(try orderedByAttribute(wanted, against: cost))
      if let wanted { consider(try orderedByReference(wanted, matching, against: cost)) }
    }
    for columns in fetch.columnRanges { consider(try ordered(by: columns, wanted, matching, against: cost)) }
    return best?.plan
  }

  private func orderedByAttribute(
    _ wanted: Int?, against cost: Int
  ) throws(StoreError) -> (plan: FetchPlan, cost: Int)? {
    // Without a limit, objects with several sort keys must be sorted in the end.
    guard let lead = fetch.leadingAttribute, counts.map.indexes[lead.slot] != nil, wanted != nil || lead.isLast else {
      return nil
    }
    let ranges = fetch.access.ranges(of: lead.slot) ?? .all
    let path = AccessPath.index(slot: lead.slot, ranges)
    let rows = try ranges.isAll ? all : counts.count(path)
    var visits = rows
    if let wanted {
      visits = try self.visits(wanted, of: counts.share(of: fetch.access, beside: lead.slot, rows), among: rows)
    }
    let step = lead.isLast && test == 0 ? visit : Cost.lookUp + test
    var plan = FetchPlan(
      path: path, walk: .along(isAscending: lead.isAscending), order: lead.isLast ? .whole : .leading, expected: visits,
      budget: visits < rows ? max(256, cost / step) : nil)
    if lead.isNilGreatest { plan.nilsBehind = [] }
    if visits < rows { visits = try throughGroup(visits, &plan) }
    return (plan, step.saturating(times: visits))
  }

  private func ordered(
    by columns: ColumnRange, _ wanted: Int?, _ matching: Int, against cost: Int
  ) throws(StoreError) -> (plan: FetchPlan, cost: Int)? {
    guard let order = fetch.order(in: columns), wanted != nil || order.isWhole else { return nil }
    let path = AccessPath.index(slot: columns.slot, columns.ranges)
    let rows = try columns.ranges.isAll ? all : path == fetch.access ? matching : counts.count(path)
    var visits = rows
    if let wanted {
      let isEach = columns.isExact && order.isWhole
      visits = isEach ? min(rows, wanted) : self.visits(wanted, of: min(matching, rows), among: rows)
    }
    let step = order.isWhole && columns.isExact ? visit : Cost.lookUp + test
    var plan = FetchPlan(
      path: path, walk: .along(isAscending: order.isAscending), order: order.isWhole ? .whole : .leading,
      expected: visits,
      budget: visits < rows && !columns.isExact ? max(256, cost / step) : nil)
    plan.columns = (columns.prefix.count, order.matched)
    if order.isNilGreatest { plan.nilsBehind = columns.prefix }
    if visits < rows { visits = try throughGroup(visits, &plan) }
    return (plan, step.saturating(times: visits))
  }

  /// The number of rows that a walk visits if it is only in the order of the first sort keys. It must also visit the
  /// rows that have the same first keys as the last one, because they may sort before it.
  private func throughGroup(_ visits: Int, _ plan: inout FetchPlan) throws(StoreError) -> Int {
    guard plan.order == .leading, case .along(let isAscending) = plan.walk,
      case .index(let slot, let ranges) = plan.path
    else { return visits }
    let all = try projection.store.indexes.rowCount(
      counts.map, slot: slot, in: plan.inOrder(ranges), isAscending: isAscending, through: visits, columns: plan.columns
    )
    plan.expected = max(visits, all ?? 0)
    return plan.expected
  }

  /// A plan by an attribute behind a to-one. It walks the values in order, and for each value the objects that refer to
  /// it.
  private func orderedByReference(
    _ wanted: Int, _ matching: Int, against cost: Int
  ) throws(StoreError) -> (plan: FetchPlan, cost: Int)? {
    guard let order = fetch.referenceOrder, let targetMap, targetMap.indexes[order.targetIndex] != nil,
      counts.map.indexes[order.index] != nil, order.isCounted || order.excludesNil || !order.isNilFirst
    else { return nil }
    let all = try PathCounts(targetMap, projection.store).all
    let targets =
      try order.ranges.isAll
      ? all : projection.store.indexes.rowCount(targetMap, slot: order.targetIndex, in: order.ranges)
    // Assumes that all targets have the same number of referring objects.
    let none = order.isCounted ? try counts.count(.index(slot: order.index, KeyRanges(.nils))) : 0
    let each = Double(self.all - none) / Double(max(1, all))
    let rows = Int(each * Double(targets))
    let nils = order.excludesNil ? 0 : none
    var left = visits(wanted, of: min(matching, rows + nils), among: rows + nils)
    var visits = 0
    // Rows of nil are all in one group. Its first ones are found without reading the whole group only if the rest is
    // sorted.
    let walked = order.isRestAscending == nil ? nils : min(nils, left)
    if order.isNilFirst, left > 0 {
      visits = walked
      left = max(0, left - nils)
    }
    let passed = each > 0 ? (Double(left) / each).rounded(.up) : .infinity
    let steps = left == 0 ? 0 : Int(min(Double(targets), passed))
    visits = visits.saturating(plus: min(rows, max(left, Int(Double(steps) * each))))
    if !order.isNilFirst, left > rows { visits = visits.saturating(plus: walked) }
    let step = Cost.lookUp + test
    let plan = FetchPlan(
      path: .scan, walk: .references(order), order: .leading, expected: visits, budget: max(256, cost / step))
    return (plan, step.saturating(times: visits).saturating(plus: (Cost.row + Cost.lookUp).saturating(times: steps)))
  }

  /// How many objects must be visited to find the requested ones, if matching objects are spread evenly.
  private func visits(_ wanted: Int, of matching: Int, among rows: Int) -> Int {
    guard wanted < matching else { return rows }
    return min(rows, Int((Double(wanted) * Double(rows) / Double(matching)).rounded(.up)))
  }

  /// The cheapest way to collect the possible matches.
  private func cheapest(_ wanted: Int?) throws(StoreError) -> Candidates {
    guard case .intersection(let parts) = fetch.access else { return try collection(fetch.access, wanted) }
    var counted: [Candidates] = []
    for part in parts { counted.append(try collection(part, nil)) }
    counted.sort { $0.count + $0.walking < $1.count + $1.walking }
    var (kept, left, walking) = ([counted[0].path], counted[0].count, counted[0].walking)
    var used = fetch.properties(of: counted[0].path)
    for next in counted.dropFirst() {
      // A second index over the same properties spares no further objects.
      let properties = fetch.properties(of: next.path)
      if !properties.isEmpty, properties.isSubset(of: used) { continue }
      // A further index is worth using if its rows cost less than the records that it spares.
      let rest = Int(Double(left) * Double(next.count) / Double(max(1, all)))
      let test = next.path.searches ? Cost.words : 0
      guard (left - rest) * (Cost.lookUp + test) > (left + next.count) * Cost.row + next.walking else { continue }
      kept.append(next.path)
      used.formUnion(properties)
      left = rest
      walking += next.walking
    }
    return Candidates(path: kept.count == 1 ? kept[0] : .intersection(kept), count: left, walking: walking)
  }

  private func collection(_ path: AccessPath, _ wanted: Int?) throws(StoreError) -> Candidates {
    if case .search(let slot, let words) = path { return try search(slot, words, wanted) }
    return Candidates(path: path, count: try counts.count(path))
  }
}

extension AccessPath {
  /// The ranges of the index over a slot that contain all matches. `nil` if there are none.
  fileprivate func ranges(of slot: Int) -> KeyRanges? {
    switch self {
    case .index(slot, let ranges): ranges
    case .intersection(let parts): parts.lazy.compactMap { $0.ranges(of: slot) }.first
    default: nil
    }
  }
}

extension Int {
  func saturating(times other: Int) -> Int {
    let (result, isTooMany) = multipliedReportingOverflow(by: other)
    return isTooMany ? .max : result
  }

  func saturating(plus other: Int) -> Int {
    let (result, isTooMany) = addingReportingOverflow(other)
    return isTooMany ? .max : result
  }
}
