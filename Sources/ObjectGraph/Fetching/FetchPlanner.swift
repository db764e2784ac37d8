import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// Chooses the plan of a fetch by the number of rows on each path, which indexes count exactly.
struct FetchPlanner {
  private let fetch: CompiledFetch
  private let projection: Projection
  private let counts: PathCounts
  /// Whether the records of the objects must be read, or an index may answer alone.
  private let readsRecords: Bool
  private var all: Int { counts.all }

  /// What it costs to visit an object, in steps of a scan.
  private enum Cost {
    static let scan = 1
    static let row = 1
    static let lookUp = 3
    /// Sorting it in the end, if no bounded heap does.
    static let sorting = 2
  }

  init(
    _ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent, _ projection: Projection
  ) throws(StoreError) {
    self.fetch = fetch
    self.projection = projection
    readsRecords = !content.isInIndex || !fetch.accessIsExact
    counts = try PathCounts(map, projection.store)
  }

  private var visit: Int { readsRecords ? Cost.lookUp : Cost.row }

  /// - Parameter wanted: The number of rows needed, offset included; `nil` is all.
  func best(wanted: Int?) throws(StoreError) -> FetchPlan {
    let (path, matching) = try cheapest()
    let (direct, cost) = direct(path, matching, wanted)
    return try ordered(wanted, matching, against: cost) ?? direct
  }

  /// The plan that reads the fewest objects, whatever their order.
  func direct(wanted: Int?) throws(StoreError) -> FetchPlan {
    let (path, matching) = try cheapest()
    return direct(path, matching, wanted).plan
  }

  private func direct(_ path: AccessPath, _ matching: Int, _ wanted: Int?) -> (plan: FetchPlan, cost: Int) {
    let order: FetchPlan.Order = fetch.isSorted ? .none : .whole
    let sorting = !fetch.isSorted || wanted != nil ? 0 : Cost.sorting.saturating(times: matching)
    let looks = visit.saturating(times: matching)
    // So few are looked up in any case, so that no others need be readable.
    if path == .scan || looks >= all && matching > 64 {
      return (FetchPlan(walk: .all, order: order, expected: all), all.saturating(plus: sorting))
    }
    var walk = FetchPlan.Walk.collect(path)
    if !fetch.isByBirth, case .index(let slot, let ranges) = path {
      walk = .index(slot: slot, ranges, isAscending: true)
    }
    return (FetchPlan(walk: walk, order: order, expected: matching), looks.saturating(plus: sorting))
  }

  /// In the order of the fetch; `nil` if no walk has it, or if the cheapest is expected to cost less.
  private func ordered(_ wanted: Int?, _ matching: Int, against cost: Int) throws(StoreError) -> FetchPlan? {
    if fetch.isByBirth {
      guard let wanted, wanted < matching else { return nil }
      let visits = visits(wanted, of: matching, among: all)
      return visits < cost ? FetchPlan(walk: .all, order: .whole, expected: visits, budget: cost) : nil
    }
    // Without a limit, what several keys sort must be sorted in the end.
    guard let lead = fetch.leadingAttribute, counts.map.indexes[lead.slot] != nil, wanted != nil || lead.isLast else {
      return nil
    }
    let ranges = fetch.access.ranges(of: lead.slot) ?? .all
    let rows = try ranges.isAll ? all : counts.count(.index(slot: lead.slot, ranges))
    var visits = rows
    if let wanted {
      visits = try self.visits(wanted, of: counts.share(of: fetch.access, beside: lead.slot, rows), among: rows)
    }
    let step = lead.isLast ? visit : Cost.lookUp
    guard step.saturating(times: visits) <= cost else { return nil }
    return FetchPlan(
      walk: .index(slot: lead.slot, ranges, isAscending: lead.isAscending), order: lead.isLast ? .whole : .leading,
      expected: visits, budget: visits < rows ? max(256, cost / step) : nil)
  }

  /// How many objects must be visited to find those wanted, if those that match are spread evenly.
  private func visits(_ wanted: Int, of matching: Int, among rows: Int) -> Int {
    guard wanted < matching else { return rows }
    return min(rows, Int(Double(wanted) * Double(rows) / Double(matching)) + 1)
  }

  /// The cheapest way to collect what may match, and how many objects that are.
  private func cheapest() throws(StoreError) -> (path: AccessPath, matching: Int) {
    guard case .intersection(let parts) = fetch.access else { return (fetch.access, try counts.count(fetch.access)) }
    var counted: [(path: AccessPath, count: Int)] = []
    for part in parts { counted.append((part, try counts.count(part))) }
    counted.sort { $0.count < $1.count }
    var (kept, left) = ([counted[0].path], counted[0].count)
    for (path, count) in counted.dropFirst() {
      // A further index pays if its rows cost less than the records that it spares.
      let rest = Int(Double(left) * Double(count) / Double(max(1, all)))
      guard (left - rest) * Cost.lookUp > (left + count) * Cost.row else { continue }
      kept.append(path)
      left = rest
    }
    return (kept.count == 1 ? kept[0] : .intersection(kept), left)
  }
}

extension AccessPath {
  /// The ranges of the index over a slot outside of which nothing matches; `nil` if there are none.
  fileprivate func ranges(of slot: Int) -> KeyRanges? {
    switch self {
    case .index(slot, let ranges): ranges
    case .intersection(let parts): parts.lazy.compactMap { $0.ranges(of: slot) }.first
    default: nil
    }
  }
}

extension Int {
  fileprivate func saturating(times other: Int) -> Int {
    let (result, isTooMany) = multipliedReportingOverflow(by: other)
    return isTooMany ? .max : result
  }

  fileprivate func saturating(plus other: Int) -> Int {
    let (result, isTooMany) = addingReportingOverflow(other)
    return isTooMany ? .max : result
  }
}
