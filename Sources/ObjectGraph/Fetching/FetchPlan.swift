import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The path on which a fetch reads objects, and whether it visits them in the order of the fetch. If it does, a fetch
/// with a limit stops at its last row.
struct FetchPlan {
  let path: ScanPath
  let order: Order
  /// How many objects may be visited in order before another plan is cheaper; `nil` is unlimited.
  var budget: Int?

  enum Order {
    /// Not the order of the fetch.
    case none
    case byBirth
    /// By the leading sort key; `isWhole` if there is no other.
    case byIndex(isAscending: Bool, isWhole: Bool)
  }

  /// Along the path of the condition, in any order.
  init(direct fetch: CompiledFetch) {
    path = fetch.scanPath
    order = .none
  }

  private init(_ path: ScanPath, _ order: Order) {
    self.path = path
    self.order = order
  }

  /// - Parameter wanted: The number of rows needed, offset included.
  init(_ fetch: CompiledFetch, _ map: EntityMap, wanted: Int, _ store: Store) throws(StoreError) {
    self = try Self.ordered(fetch, map, wanted, store) ?? FetchPlan(direct: fetch)
  }

  /// In the order of the fetch; `nil` if no path has it, or if the condition's own path is expected to be shorter.
  private static func ordered(
    _ fetch: CompiledFetch, _ map: EntityMap, _ wanted: Int, _ store: Store
  ) throws(StoreError) -> FetchPlan? {
    if fetch.isByBirth {
      if case .index = fetch.access {} else { return FetchPlan(fetch.scanPath, .byBirth) }
      return try withinBudget(FetchPlan(.all, .byBirth), fetch, map, wanted, store)
    }
    guard let lead = fetch.leadingAttribute, map.indexes[lead.slot] != nil else { return nil }
    let order = Order.byIndex(isAscending: lead.isAscending, isWhole: lead.isLast)
    if case .index(lead.slot, let range) = fetch.access {
      return FetchPlan(
        .rows(slot: lead.slot, from: range.lower, before: range.upper, isAscending: lead.isAscending), order)
    }
    let whole = FetchPlan(.rows(slot: lead.slot, from: [], before: nil, isAscending: lead.isAscending), order)
    return try withinBudget(whole, fetch, map, wanted, store)
  }

  /// Assumes that matching rows are spread evenly over the order. The budget bounds the cost where they are not.
  private static func withinBudget(
    _ plan: FetchPlan, _ fetch: CompiledFetch, _ map: EntityMap, _ wanted: Int, _ store: Store
  ) throws(StoreError) -> FetchPlan? {
    let all = try store.rowCount(map, .all)
    var plan = plan
    guard fetch.access != .scan else {
      // A look-up by index costs about as much as three steps of a scan.
      let budget = max(256, all / 3)
      plan.budget = budget
      return wanted <= budget ? plan : nil
    }
    let matching = try store.rowCount(map, fetch.scanPath)
    let (looks, isTooMany) = wanted.multipliedReportingOverflow(by: all / max(1, matching) + 1)
    if isTooMany || looks >= matching { return nil }
    plan.budget = matching
    return plan
  }

  /// Whether an object, and with it every later one, sorts after the bound.
  func isBehind(_ bound: [UInt8], _ object: ScannedObject) -> Bool {
    switch order {
    case .none: return false
    case .byBirth:
      return withUnsafeBytes(of: (object.uuid.high.bigEndian, object.uuid.low.bigEndian)) {
        Self.isBehind(bound, $0, mask: 0)
      }
    case .byIndex(let isAscending, let isWhole):
      // If there are more sort keys, only the leading one is known from the row.
      let count = max(0, object.rowKey.count - (isWhole ? 0 : 16))
      return Self.isBehind(
        bound, UnsafeRawBufferPointer(rebasing: object.rowKey.prefix(count)), mask: isAscending ? 0 : .max)
    }
  }

  private static func isBehind(_ bound: [UInt8], _ key: UnsafeRawBufferPointer, mask: UInt8) -> Bool {
    for (mine, other) in zip(key, bound) where mine ^ mask != other { return mine ^ mask > other }
    return false
  }
}

extension CompiledFetch {
  /// Which objects of the store may match.
  var scanPath: ScanPath {
    switch access {
    case .scan: .all
    case .inverse(let slot, let target): .inverse(slot: slot, target: target)
    case .index(let slot, let range): .rows(slot: slot, from: range.lower, before: range.upper, isAscending: true)
    }
  }
}
