import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// One run of a fetch along a plan. It merges two streams of objects, the stored ones and the ones that differ from the
/// head. It tests them, and keeps the requested ones.
final class FetchRun {
  private let fetch: CompiledFetch
  private let map: EntityMap
  private let plan: FetchPlan
  private let content: RowContent
  private let projection: Projection
  private let relatedObjects: RelatedObjectCache
  /// The number of rows to keep. `nil` is all.
  private let wanted: Int?
  private let isTested: Bool
  // Small parts of the fetch and the plan. To call a method of the whole value, Swift copies it for each object.
  private let order: FetchPlan.Order
  private let budget: Int?
  private let numberTests: NumberTests
  /// A short form of the sort key. In a fetch with a limit, comparing it is enough to reject most objects.
  private let lead: AbbreviatedKey?

  // No other code runs while one of these is accessed.

  /// The rows found, if the walk is in the order of the fetch. Otherwise `top` has the first rows so far.
  @exclusivity(unchecked) private var inOrder: [Projection.Row] = []
  /// The values of the terms of those rows, in one array. One array for each row would cost most of the time of a
  /// fetch.
  @exclusivity(unchecked) private var termsInOrder: ContiguousArray<PropertyValue> = []
  @exclusivity(unchecked) private var top: TopRows
  /// The sort key of the object that was tested last. Empty if it does not match.
  @exclusivity(unchecked) private var key: [UInt8] = []
  /// The keys of the differing objects in the order of the walk, and the first that was not offered yet.
  @exclusivity(unchecked) private var pending: [[UInt8]] = []
  @exclusivity(unchecked) private var next = 0
  @exclusivity(unchecked) private var failure: StoreError?
  /// The number of objects visited, of both streams.
  @exclusivity(unchecked) private(set) var visited = 0
  /// The number of objects that the offset skipped.
  @exclusivity(unchecked) private var passed = 0
  /// The number of rows found, or kept so far of those found.
  @exclusivity(unchecked) private(set) var rowCount = 0
  /// Whether the plan's budget was exhausted. The rows are not complete then.
  @exclusivity(unchecked) private(set) var isGivenUp = false

  /// Up to so many rows, room for all requested rows is reserved at once.
  private static let fewRows = 256

  init(
    _ fetch: CompiledFetch, _ map: EntityMap, _ plan: FetchPlan, wanted: Int?, _ content: RowContent,
    _ projection: Projection
  ) {
    self.fetch = fetch
    self.map = map
    self.plan = plan
    self.wanted = wanted
    self.content = content
    self.projection = projection
    relatedObjects = RelatedObjectCache(projection)
    isTested = !plan.isExact(for: fetch)
    order = plan.order
    budget = plan.budget
    numberTests = fetch.numberTests
    top = TopRows(limit: wanted)
    lead = fetch.abbreviatedKey
  }

  func run() throws(StoreError) {
    if wanted == 0 { return }
    let path: ScanPath
    switch plan.walk {
    case .along(let isAscending):
      switch plan.path {
      case .index(let slot, let ranges): path = .rows(slot: slot, plan.inOrder(ranges), isAscending: isAscending)
      case .search(let slot, let words): path = .search(slot: slot, words)
      default: path = fetch.births.map { .born($0, isAscending: isAscending) } ?? .objects([])
      }
    case .collected: path = .objects(try projection.stored(on: plan.path, map))
    case .references(let order): return try walk(order)
    }
    if order == .whole, let wanted { inOrder.reserveCapacity(min(wanted, Self.fewRows)) }
    if let past = plan.past {
      try projection.store.objects.scanPast(
        map, path, past.index, at: projection.position, reading: reading, decide: decide, take: keep)
      if let failure { throw failure }
      return
    }
    let differing = try projection.headDifferences(map, order: plan.orderOfPending)
    let hidden = differing.rows.uuids
    if !hidden.isEmpty {
      pending = try plan.pendingKeys(differing.rows) { () throws(StoreError) in
        try projection.differing(on: fetch.access, map)
      }
      if order == .none { offerAll() }
    }
    if failure == nil {
      try projection.store.objects.scan(
        map, path, at: projection.position, known: differing.head, reading: reading,
        isHidden: { !hidden.isEmpty && hidden.contains($0) }, decide: decide, take: keep)
    }
    if !isGivenUp { offerAll() }
    if let failure { throw failure }
  }

  private var reading: ScanReading {
    var tested = isTested ? fetch.slotsOfCondition : []
    tested.formUnion(content.slotsWithCondition)
    if order != .whole { tested.formUnion(fetch.slotsOfOrder) }
    return ScanReading(tested: tested, taken: content.slots)
  }

  /// The rows in the order of the fetch, without the first ones.
  func rows(from offset: Int) -> [Projection.Row] {
    if order != .whole { return top.sorted(from: offset) }
    return offset == 0 ? inOrder : Array(inOrder.dropFirst(offset))
  }

  /// Like ``rows(from:)``, for a fetch of terms.
  func termRows(from offset: Int) -> Projection.TermRows {
    if order != .whole { return Projection.TermRows(top.sorted(from: offset)) }
    let uuids = inOrder.dropFirst(offset).map(\.uuid)
    let width = inOrder.isEmpty ? 0 : termsInOrder.count / inOrder.count
    return Projection.TermRows(
      uuids: uuids,
      values: offset == 0 ? termsInOrder : ContiguousArray(termsInOrder.suffix(uuids.count * width)))
  }

  // MARK: Objects of the store

  private func decide(_ object: ScannedObject) -> ScanDecision {
    if failure != nil { return .end }
    if !object.isInOrder, order != .none {
      addPending(object.uuid, object.values)
      return .pass
    }
    if order != .none {
      if next < pending.count { offerDue(before: object) }
      if isFull || isBehind(object) { return .end }
    }
    visited += 1
    if isBudgetExhausted { return .end }
    // On an exact path, objects of the path need no test. An object out of order has changed since the differences
    // were determined, and may be of another path.
    return accepts(object.uuid, object.values, isTested || !object.isInOrder) ? .take : .pass
  }

  private var isBudgetExhausted: Bool {
    if let budget, visited + passed > budget { isGivenUp = true }
    return isGivenUp
  }

  private var isFull: Bool { failure != nil || order == .whole && rowCount == wanted }

  /// Whether an object, and every later one, sorts after the last requested row.
  private func isBehind(_ object: ScannedObject) -> Bool {
    guard order == .leading, let bound = top.bound else { return false }
    return plan.isBehind(bound, object.rowKey)
  }

  /// Whether an object matches, and sorts before the last requested row.
  private func accepts(_ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>, _ isTested: Bool) -> Bool {
    let id = AnyObjectID(map.entity.interned, uuid)
    if order != .whole { key.removeAll(keepingCapacity: true) }
    if isTested, !(numberTests.hold(of: values) ?? fetch.matches(values, id: id, source: relatedObjects)) {
      return false
    }
    if order == .whole { return true }
    if let lead, let bound = top.abbreviatedBound, let key = lead.key(of: values), key > bound { return false }
    fetch.appendSortKey(of: values, id: id, source: relatedObjects, to: &key)
    return top.accepts(key)
  }

  /// Keeps the object that was accepted last.
  private func keep(_ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>) {
    rowCount += 1
    let id = AnyObjectID(map.entity.interned, uuid)
    if order == .whole, case .terms(let terms) = content {
      inOrder.append(Projection.Row(uuid: uuid, values: []))
      terms.append(valuesOf: values, id: id, source: relatedObjects, to: &termsInOrder)
      return
    }
    guard let row = content.row(values, id, relatedObjects) else { return }
    if order == .whole { inOrder.append(row) } else { top.add(key, row) }
    if let wanted { rowCount = min(rowCount, wanted) }
  }

  // MARK: Objects by their references

  private func walk(_ order: CompiledFetch.ReferenceOrder) throws(StoreError) {
    guard let walk = try ReferenceWalk(order, map, projection) else {
      isGivenUp = true
      return
    }
    let hidden = walk.hidden
    let reading = reading
    let ending = try walk.forEachGroup { (group) throws(StoreError) in
      if let bound = top.bound, group.isBehind(bound) { return false }
      passed += 1
      if isBudgetExhausted { return false }
      for uuid in group.pending { offer(uuid) }
      try projection.store.objects.scan(
        map, group.stored, at: projection.position, known: walk.head, reading: reading,
        isHidden: { !hidden.isEmpty && hidden.contains($0) }, decide: { decide($0, in: order) }, take: keep)
      if let failure { throw failure }
      return !isGivenUp
    }
    if ending == .givenUp { isGivenUp = true }
  }

  private func decide(_ object: ScannedObject, in order: CompiledFetch.ReferenceOrder) -> ScanDecision {
    // The object has changed since the walk began, so it is not among the known differences.
    if !object.isInOrder { isGivenUp = true }
    if isGivenUp { return .end }
    visited += 1
    if isBudgetExhausted { return .end }
    if accepts(object.uuid, object.values, isTested) { return .take }
    guard order.isRestAscending != nil, let bound = top.bound, bound.precedes(key) else { return .pass }
    // All later objects that refer to the same object sort behind the last requested row, too.
    return .end
  }

  // MARK: Objects that differ from the head

  private func offerAll() {
    while next < pending.count, !isFull { offerNext() }
  }

  /// Offers the differing objects that sort before an object of the store.
  @inline(never)
  private func offerDue(before object: ScannedObject) {
    while next < pending.count, !isFull, plan.isDue(pending[next], before: object) { offerNext() }
  }

  private func offerNext() {
    defer { next += 1 }
    guard let uuid = RowKey.uuid(pending[next]) else { return }
    offer(uuid)
  }

  private func offer(_ uuid: UniqueID) {
    visited += 1
    do throws(StoreError) {
      guard let values = try projection.read(AnyObjectID(map.entity.interned, uuid), map) else { return }
      if accepts(uuid, values, true) { keep(uuid, values) }
    } catch {
      failure = error
    }
  }

  /// Adds an object that changed after the differences were determined. Such objects come first.
  private func addPending(_ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>) {
    for key in plan.keysOfPending(uuid, values, map.entity) {
      pending.insert(key, at: pending.partitionPoint { plan.precedes(key, $0) })
    }
  }
}
