import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The objects of a fetch as rows in sections, kept up to date: uncommitted changes of the context included, and what
/// others save as soon as the context moves there.
///
/// ```swift
/// let fetch = Fetch<Item>().sorted { $0.name.ascending }.sectioned { $0.name.firstCharacter() }
/// let list = try FetchedList(fetch, in: context)
/// observation = list.observe { [weak self] batch in
///   if let changes = batch.changes { self?.update(changes) } else { self?.reload() }
/// }
/// ```
///
/// A list answers for one moment: rows and counts stay as they are until it delivers a batch, at the end of the turn in
/// which the context changed. Where the context belongs to no isolation it delivers at once, and for a
/// ``EditingContext/group(_:_:)`` when that ends. ``flush()`` delivers in any case, and ``delivered(isolation:)`` waits
/// for it. While nobody observes a list it follows without a batch, and computes nothing until it is asked. The
/// elements are the context's own objects, so what a row shows is always what the context says of it; an object that
/// was deleted since the last batch still has its row, and reads with its last values.
///
/// Where one indexed attribute sorts the list and the condition, if any, is a range of that attribute, no row is in
/// memory, however many there are; nor where an index over several properties has both, as one over folder and name
/// has a folder's items by name. Otherwise the list keeps up to 20 bytes for each row, and for those that limit and
/// offset leave out. ``explain()`` says which. Either way an answer costs O(log n), and so does a change, which reads
/// only the objects that changed and some of their neighbours. This includes changes of other objects that the
/// condition or the order reads: of `$0.owner.name` the owner's, of `$0.items.count` those of the items' references.
/// What else a row shows of other objects is declared, so that it is updated:
/// ``init(_:in:showing:)-(_,_,(Element.Fields)->Key)``.
///
/// Each batch says row by row what changed (``ListBatch/changes``); ``changes(since:)`` says it of what happened since
/// an earlier run of the program. It is a reset when more than 10,000 rows changed, and when something could not be
/// read; then the rows were fetched again.
///
/// It belongs to its context's isolation, and holds the context.
public final class FetchedList<Element: PersistentModel>: DataSource {
  /// The context that the objects belong to.
  public let context: ObjectContext
  /// The fetch that the list shows.
  public private(set) var fetch: Fetch<Element>
  private let showing: [SortKey<Element>]
  private(set) var compiled: CompiledFetch
  /// The revision of the schema that it is compiled for.
  private var revision: UInt32
  var moment: ListMoment?
  /// Of a list that nobody observes, what it showed last.
  var resting: RestingRows?
  /// The snapshot of the last moment.
  var lastSnapshot = ListSnapshot(rowCount: 0)
  var failure: (any Error)?
  let observers = ListObservers()
  /// Whether the store is not open yet.
  var isPending = false
  var isDelivering = false
  /// Whether the context's tracker was told that the rows were read, and not that they changed.
  var isTracked = false
  /// Whether something changed while a batch was being delivered.
  var isStale = false
  private var observer: Int?

  /// Makes the list of a fetch. O(log n) if an index serves it, else the cost of the fetch without its limit. While the
  /// store is not open yet, the list is empty and ``Readiness/pending``.
  ///
  /// - Throws: ``FetchError``: the fetch does not fit the models, or the store cannot be read.
  public convenience init(_ fetch: Fetch<Element>, in context: ObjectContext) throws {
    try self.init(fetch, in: context, shown: [])
  }

  /// Makes the list of a fetch whose rows show what a field of other objects says: `showing: \.items.count`.
  ///
  /// When that changes, the row is updated, with the relationship (`items`) among ``ListChanges/Update/properties``.
  /// The properties of the objects themselves need no declaration.
  ///
  /// - Throws: ``FetchError``, as ``init(_:in:)`` does.
  public convenience init<Key: SortKeyConvertible<Element>>(
    _ fetch: Fetch<Element>, in context: ObjectContext, showing field: (Element.Fields) -> Key
  ) throws {
    try self.init(fetch, in: context, shown: [field(Element.Fields(.root)).sortKey])
  }

  /// Makes the list of a fetch whose rows show what several fields of other objects say:
  /// `showing: { [$0.items.count, $0.owner.name] }`. As ``init(_:in:showing:)``.
  ///
  /// - Throws: ``FetchError``, as ``init(_:in:)`` does.
  public convenience init(
    _ fetch: Fetch<Element>, in context: ObjectContext,
    showing fields: (Element.Fields) -> [any SortKeyConvertible<Element>]
  ) throws {
    try self.init(fetch, in: context, shown: fields(Element.Fields(.root)).map { $0.sortKey })
  }

  private init(_ fetch: Fetch<Element>, in context: ObjectContext, shown: [SortKey<Element>]) throws {
    self.context = context
    self.fetch = fetch
    showing = shown
    let map = context.store.map
    revision = map.revision
    compiled = try CompiledFetch(fetch, schema: map.schema, showing: shown)
    isPending = context.store.isOpening
    if !isPending { moment = try Self.moment(compiled, context) }
    observer = context.observe { [weak self] in self?.contextChanged() }
  }

  deinit { if let observer { context.removeObserver(observer) } }

  /// Shows another fetch from now on, and notifies the observers with one batch. Rows that both have stay in it, as for
  /// a search that is typed; it is a reset if either has more than 10,000 rows. What this turn has changed before comes
  /// in a batch of its own. Costs as ``init(_:in:)``, and while it is observed O(n log n) in the rows.
  ///
  /// Called by an observer, it takes effect once all observers have received the batch before, as a reset.
  ///
  /// - Throws: ``FetchError``, as ``init(_:in:)`` does, and also while the store is not open yet. Then the list is as
  ///   it was.
  public func setFetch(_ fetch: Fetch<Element>) throws {
    let compiled = try CompiledFetch(fetch, schema: context.store.map.schema, showing: showing)
    if !observers.isEmpty, !isDelivering { flush() }
    let next = try Self.moment(compiled, context)
    self.fetch = fetch
    self.compiled = compiled
    if isDelivering {
      isStale = true
    } else {
      show(next, changes: changes(to: next))
    }
  }

  /// What leads to the rows of another fetch of the same moment; `nil` for a reset.
  private func changes(to next: ListMoment) -> ListChanges? {
    let limit = ListChanges.rowLimit
    guard !observers.isEmpty, let moment, max(moment.count, next.count) <= limit,
      let before = try? moment.identifiers(of: Element.self), let after = try? next.identifiers(of: Element.self),
      let changes = after.difference(from: before), changes.rowCount <= limit
    else { return nil }
    return changes
  }

  /// Compiles the fetch anew once the store has an index that was being built. If that serves the fetch, the rows are
  /// fetched again: their order along the index may be another where texts are very long.
  func takeUpIndexes() {
    let map = context.store.map
    if map.revision == revision { return }
    revision = map.revision
    if let next = try? CompiledFetch(fetch, schema: map.schema, showing: showing), next != compiled { compiled = next }
  }

  static func moment(_ fetch: CompiledFetch, _ context: ObjectContext) throws(FetchError) -> ListMoment {
    guard let map = context.store.map.map(fetch.entity.interned) else { throw .unknownEntity(fetch.entity.name) }
    return try ListMoment(WatchedFetch(fetch, schema: context.store.map.schema), map, context.projection)
  }

  /// The plan that serves the list now, and its cost. O(log n).
  public func explain() -> ListPlan {
    var rows = ListPlan.Rows.inMemory
    var differences = 0
    // First, because it may change the plan.
    if let moment = shown, let seen = try? moment.differences { differences = seen }
    if case .counted = moment?.rows, let slot = compiled.countedIndex?.slot {
      rows = .countedIndex(property: compiled.entity.properties[slot].name)
    }
    let bytes = moment?.rows.memoryInBytes ?? 0
    let fetched = moment?.rows.finding.map { finding in
      FetchExplanation(finding, of: compiled.entity, unfinished: (try? context.unfinishedIndexes(for: fetch)) ?? [])
    }
    return ListPlan(
      rows: rows, rowCount: count, memoryInBytes: bytes, differencesFromHead: differences, fetched: fetched)
  }
}
