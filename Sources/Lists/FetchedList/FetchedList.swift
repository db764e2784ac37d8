import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The objects of a fetch as rows in sections, updated as they change.
///
/// The list includes the uncommitted changes of its context. It includes saves of other contexts and processes once its
/// context moves to them.
///
/// ```swift
/// let fetch = Fetch<Item>().sorted { $0.name.ascending }.sectioned { $0.name.firstCharacter() }
/// let list = try FetchedList(fetch, in: context)
/// observation = list.observe { [weak self] batch in
///   if let changes = batch.changes { self?.update(changes) } else { self?.reload() }
/// }
/// ```
///
/// A list shows one moment. Rows and counts stay the same until the list delivers a batch, at the end of the turn that
/// changed the context. If the context belongs to no isolation, the list delivers at once, or at the end of an
/// ``EditingContext/group(_:_:)``. To deliver now, call ``flush()``. To wait for the delivery, call
/// ``delivered(isolation:)``. Without observers, the list follows the context without batches, and computes rows on
/// demand.
///
/// The elements are the context's own objects, so they always show the state of the context. An object that was deleted
/// since the last batch keeps its row, with its last values.
///
/// If an index has the rows, no row is in memory, however many there are. This is so if one indexed attribute sorts the
/// list and the condition is a range of that attribute, or absent. An index over several properties works, too: for
/// example, one over folder and name has a folder's items by name. Otherwise, the list keeps up to 20 bytes for each
/// row, including rows that limit and offset leave out. ``explain()`` reports how the list finds its rows.
///
/// In both cases, a look-up takes O(log n) time. A change also takes O(log n), and reads only the changed objects and
/// some of their neighbours. This includes changes of other objects that the condition or the order reads. For example,
/// `$0.owner.name` reads the owner's name, and `$0.items.count` the references of the items. If rows show other
/// properties of other objects, declare them, so that the rows are updated:
/// ``init(_:in:showing:)-(_,_,(Element.Fields)->Key)``.
///
/// Each batch has the changes row by row (``ListBatch/changes``). ``changes(since:)`` returns the changes since an
/// earlier run of the program. A batch is a reset if more than 10,000 rows changed, or if something could not be read
/// and the rows were fetched again.
///
/// A list belongs to its context's isolation, and retains the context.
public final class FetchedList<Element: PersistentModel>: DataSource {
  /// The context of the objects.
  public let context: ObjectContext
  /// The fetch that the list shows.
  public private(set) var fetch: Fetch<Element>
  private let showing: [SortKey<Element>]
  private(set) var compiled: CompiledFetch
  /// The revision of the schema that the fetch is compiled for.
  private var revision: UInt32
  var moment: ListMoment?
  /// The last rows of a list without observers.
  var unobserved: UnobservedRows?
  /// The snapshot of the last moment.
  var lastSnapshot = ListSnapshot(rowCount: 0)
  var failure: (any Error)?
  let observers = ListObservers()
  /// Whether the store is not open yet.
  var isPending = false
  var isDelivering = false
  /// Whether the context's tracker has received a read of the rows, and no change since.
  var isTracked = false
  /// Whether something changed while a batch was being delivered.
  var isStale = false
  private var observer: Int?

  /// Makes a list of the objects of a fetch.
  ///
  /// Takes O(log n) time if an index serves the fetch, and otherwise as long as the fetch without its limit. While the
  /// store is being opened, the list is empty and ``LoadState/loading``.
  ///
  /// - Throws: ``FetchError`` if the fetch does not fit the models, or if the store cannot be read.
  public convenience init(_ fetch: Fetch<Element>, in context: ObjectContext) throws {
    try self.init(fetch, in: context, shown: [])
  }

  /// Makes a list whose rows show a field of other objects, for example `showing: \.items.count`.
  ///
  /// When that field changes, the row is updated, and ``ListChanges/Update/properties`` contains the relationship
  /// (`items`). The properties of the row's own object need no declaration.
  ///
  /// - Throws: ``FetchError``, as ``init(_:in:)``.
  public convenience init<Key: SortKeyConvertible<Element>>(
    _ fetch: Fetch<Element>, in context: ObjectContext, showing field: (Element.Fields) -> Key
  ) throws {
    try self.init(fetch, in: context, shown: [field(Element.Fields(.root)).sortKey])
  }

  /// Makes a list whose rows show several fields of other objects, for example
  /// `showing: { [$0.items.count, $0.owner.name] }`.
  ///
  /// When one of these fields changes, the row is updated, and ``ListChanges/Update/properties`` has the relationship
  /// that the field begins with (`items` or `owner`).
  ///
  /// - Throws: ``FetchError``, as ``init(_:in:)``.
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
    if !isPending { moment = try Self.moment(compiled, of: fetch, context) }
    observer = context.observe(Self.self) { [weak self] in self?.contextChanged() }
  }

  deinit { if let observer { context.removeObserver(observer) } }

  /// Shows another fetch from now on, and notifies the observers with one batch if the rows differ.
  ///
  /// The batch has row changes, so rows in both results stay on the screen, for example while a search term is typed.
  /// It is a reset if either result has more than 10,000 rows, or if the changes name more than 10,000 rows. It is also
  /// a reset if the rows cannot be read and compared. Earlier changes of this turn come in a separate batch before it.
  /// Costs as much as ``init(_:in:)``, and O(n log n) time for n rows while the list has observers.
  ///
  /// If an observer calls it, it takes effect as a reset, after all observers have received the current batch.
  ///
  /// - Throws: ``FetchError``, as ``init(_:in:)``. Also while the store is being opened. The list then keeps its fetch.
  public func setFetch(_ fetch: Fetch<Element>) throws {
    let compiled = try CompiledFetch(fetch, schema: context.store.map.schema, showing: showing)
    if !observers.isEmpty, !isDelivering { flush() }
    let next = try Self.moment(compiled, of: fetch, context)
    self.fetch = fetch
    self.compiled = compiled
    if isDelivering {
      isStale = true
    } else {
      show(next, changes: changes(to: next))
    }
  }

  /// The changes to the rows of another fetch of the same moment. `nil` for a reset.
  private func changes(to next: ListMoment) -> ListChanges? {
    let limit = ListChanges.rowLimit
    guard !observers.isEmpty, let moment, max(moment.count, next.count) <= limit,
      let before = try? moment.identifiers(of: Element.self), let after = try? next.identifiers(of: Element.self),
      let changes = after.difference(from: before), changes.rowCount <= limit
    else { return nil }
    return changes
  }

  /// Compiles the fetch again once the store has built an index. If the index serves the fetch, the rows are fetched
  /// again, because the index may order very long texts differently.
  func takeUpIndexes() {
    let map = context.store.map
    if map.revision == revision { return }
    revision = map.revision
    if let next = try? CompiledFetch(fetch, schema: map.schema, showing: showing), next != compiled { compiled = next }
  }

  static func moment(
    _ compiled: CompiledFetch, of fetch: Fetch<Element>, _ context: ObjectContext
  ) throws(FetchError) -> ListMoment {
    guard let map = context.store.map.map(compiled.entity.interned) else { throw .unknownEntity(compiled.entity.name) }
    let projection = context.projection
    let moment = try ListMoment(WatchedFetch(compiled, schema: context.store.map.schema), map, projection)
    context.ran(fetch, "list", projection, count: moment.count)
    return moment
  }

  /// Returns the present plan of the list, and its cost.
  ///
  /// - Complexity: O(log n)
  public func explain() -> ListPlan {
    var rows = ListPlan.Rows.inMemory
    var differences = 0
    // Called first, because reading the differences may change the plan.
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
