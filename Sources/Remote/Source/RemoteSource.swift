import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// A list of a server's rows, stored as objects, so that it is available at once and offline.
///
/// You edit the objects like all objects of the store. The source synchronizes them with the server when the server can
/// be reached.
///
/// ```swift
/// let store = try await Store.open("news.reprise", for: Schema([Article.self] + RemoteModels.all))
/// let articles = try RemoteSource(
///   "articles", Fetch<Article>().sorted { $0.date.descending }, in: store.mainContext,
///   from: transport, mapping: mapping)
/// try restoration.register(articles, as: "articles")
/// try await articles.synchronize()
/// ```
///
/// **Reading.** The source saves the server's rows in transactions of the author "source" (`RemoteModels.author`), so
/// the log contains their history. If nothing has changed, a refresh writes nothing. Rows, sections, batches and
/// identifiers come from a `FetchedList` over the objects, the ``list``. A restored screen therefore has its rows
/// before the first request.
///
/// **Writing.** Every save of another author that changes an object of the model is sent. It does not matter which
/// context or process saved, or whether the source existed then. The log is the outbox, so a kill loses no change. Each
/// change has an idempotency key, so the server makes it once. Changes are sent in the order of the saves. Several
/// waiting changes of one object are sent as one. Saves from before the source are sent, too, as far as the log still
/// has them. A new object that already has an identifier is sent as a new row with this identifier. If the source has
/// meanwhile read a row with the same identifier, it merges the object and the row.
///
/// **Several lists of one model.** Give each list a source with its own `scope`, such as `{ $0.list == "inbox" }`. The
/// mapping must put the rows of a list into its scope. If a save moves an object to another scope, the object is
/// deleted in one list and created in the other, under its identifier. An object that leaves all scopes stays in the
/// store. Rows of two lists must have different identifiers. If a server moves a row to another list, the row may keep
/// its identifier. It then stays the same object, but local changes that were saved in the meantime are lost.
///
/// **Conflicts.** Until the server has accepted a local change, data from the server does not overwrite it. Changes of
/// different properties are merged. Any other case is a ``RemoteConflict``, which stays in the store until you resolve
/// it. ``RemoteOptions/conflicts`` can resolve conflicts automatically.
///
/// **Refused rows.** A row is left out if its record is unreadable, if the mapping throws, or if it violates a rule of
/// the model. ``refusedRows()`` lists such rows. The store keeps all other rows.
///
/// **Lost answers.** The answer to a new object may be lost. If a refresh then finds new rows, one of them may be this
/// object. The source therefore first sends the object again, with the same idempotency key, to get the answer. If the
/// server answers the refresh but not this request, the store has two objects for the row until the next ``send()``.
/// That call merges the second object into the local object, with its saved changes. If you save an edit of the second
/// object later, the save throws `SaveError.refused`.
///
/// The source belongs to its context's isolation. Requests, and their results, are processed off it. Several processes
/// may use the same source at the same time. A record to send may have up to 1 MiB.
public final class RemoteSource<Element: PersistentModel, Transport: RemoteTransport> {
  /// The permanent name of the source. The store keeps the state of the source under this name, for example the
  /// server's cursor and the changes to send. A source with another name begins with an empty state.
  public let name: String
  /// The rows.
  public let list: FetchedList<Element>
  /// Whether the server had further rows at the source's last request, or was never read.
  public var canLoadMore: Bool { !isRead || hasNextPage }
  /// Why the server could not be read at the last attempt, or `nil` if it could.
  ///
  /// Observers are called when it changes.
  public private(set) var failure: (any Error)?
  /// Called with each error of ``run(every:)``, which then continues. Also called when the store could not keep rows of
  /// the server.
  ///
  /// In the second case, the error is `RemoteError.refusedRows(count:first:)`.
  public var onProblem: ((any Error) -> Void)?

  var isRead: Bool
  private var hasNextPage: Bool
  let options: RemoteOptions
  let synchronizer: RemoteSynchronizer<Element, Transport>
  let observers = ListObservers()
  let refreshing = SingleFlight()
  let loading = SingleFlight()
  private let sending = SingleFlight()

  /// Makes a source, without a request to the server.
  ///
  /// The first request is made when you read or send, for example with ``synchronize()`` or ``run(every:)``. Takes the
  /// time to make the ``list`` from `fetch`, and O(log n) for the source's state in a store of n rows.
  ///
  /// - Parameters:
  ///   - name: The name that identifies the source's place in the store. Never change it.
  ///   - fetch: The objects to show, and their order. If the server has pages, use the order of the server.
  ///   - context: The context that shows the objects.
  ///   - transport: The transport to the server.
  ///   - mapping: The conversion between rows and objects.
  ///   - scope: The objects that are rows of the server's list, by default all objects of the model. Only their changes
  ///     are sent, and only they are deleted if the server no longer has them. A scope can test properties of the
  ///     object and of its to-one targets, with their values at the time of each save.
  ///   - options: How conflicts and failures are handled.
  /// - Throws: `RemoteError.missingModels(path:)` or `RemoteError.keyNotUnique(entity:property:)`. `FetchError` if the
  ///   fetch, the scope or the mapping's key does not fit the models, or if the store cannot be read.
  public init(
    _ name: String, _ fetch: Fetch<Element>, in context: ObjectContext, from transport: Transport,
    mapping: RemoteMapping<Element, Transport.Record>, scope: Fetch<Element> = Fetch(),
    options: RemoteOptions = RemoteOptions()
  ) throws {
    let cache = try RemoteCache(name, context.store, mapping, scope, options.conflicts)
    self.name = name
    self.options = options
    list = try FetchedList(fetch, in: context)
    synchronizer = RemoteSynchronizer(
      cache, RemoteConnection(transport, options.retry, RemoteClock(options.clock)),
      readsAllPages: options.readsAllPages)
    let state = context.find(RemoteState.id(of: name))
    isRead = state?.isRead ?? false
    hasNextPage = state?.nextPage != nil
  }

  // MARK: Asking the server

  /// Sends the local changes, then reads the changes of the server.
  ///
  /// If sending fails, it still reads.
  ///
  /// - Throws: As ``send()`` and ``refresh()``. If both fail, the error of ``refresh()``.
  nonisolated(nonsending) public func synchronize() async throws {
    var unsent: (any Error)?
    do {
      try await send()
    } catch {
      try Task.checkCancellation()
      unsent = error
    }
    try await refresh()
    if let unsent { throw unsent }
  }

  /// Sends the changes that the server has not accepted yet, one after the other.
  ///
  /// A change that the server refuses, or that cannot be sent, becomes one of the ``conflicts()``. For example, its
  /// record may be too large. The changes of other objects are still sent. A call during another one joins it.
  ///
  /// - Throws: `RemoteError`. The next call sends the remaining changes. `SaveError` or `StoreError` if the store
  ///   cannot be read or written. `CancellationError`.
  nonisolated(nonsending) public func send() async throws {
    // Shown even after a failure, because the answers before it are in the store.
    defer { arrive(failure) }
    let synchronizer = synchronizer
    try await sending.run { try await synchronizer.send() }
  }

  /// Synchronizes until the task is cancelled: sends changes as they are saved, by any process, and refreshes at
  /// intervals.
  ///
  /// While the server cannot be reached, it retries less and less often, up to ``RemoteRetry/longestDelay``. If the
  /// server asks for a longer delay, the source waits that long. ``onProblem`` receives each error.
  ///
  /// - Parameter interval: The time between two refreshes. With `nil`, it refreshes once, at the start.
  /// - Throws: `CancellationError`.
  nonisolated(nonsending) public func run(every interval: Duration? = nil) async throws {
    let clock = synchronizer.connection.clock
    let edits = HeadChanges(list.context.store)
    var failures = 0
    var refreshed: Duration?
    while true {
      try Task.checkCancellation()
      let isDue = refreshed.map { start in interval.map { clock.now() - start >= $0 } ?? false } ?? true
      var delay: Duration?
      do {
        if isDue {
          try await synchronize()
          refreshed = clock.now()
        } else {
          try await send()
        }
        failures = 0
      } catch {
        try Task.checkCancellation()
        failures += 1
        delay = options.retry.delay(after: failures)
        if case RemoteError.unavailable(_, let after?, _) = error { delay = max(delay ?? after, after) }
        onProblem?(error)
      }
      if let delay {
        try await clock.sleep(delay)
      } else {
        let rest = refreshed.flatMap { start in interval.map { max(.zero, $0 - (clock.now() - start)) } }
        try await edits.next(orAfter: rest, clock)
      }
    }
  }

  // MARK: Waiting changes

  /// The number of changes that the server has not accepted yet.
  ///
  /// The number covers all saves that have returned, in all processes, even if the context of the ``list`` is still at
  /// an earlier position. Several waiting changes of one object count as one.
  ///
  /// - Throws: `FetchError` or `StoreError` if the store cannot be read.
  /// - Complexity: O(log n), and a step for each save since the last request.
  public var pendingCount: Int {
    get throws { try synchronizer.cache.outboxAtHead().count() }
  }

  /// Returns whether a change of this object still waits for the server to accept it, as for ``pendingCount``.
  ///
  /// - Throws: `FetchError` or `StoreError` if the store cannot be read.
  /// - Complexity: As ``pendingCount``.
  public func isPending(_ object: Element.ID) throws -> Bool {
    try !synchronizer.cache.outboxAtHead().entries(of: object.uuid).isEmpty
  }

  /// Returns the changes that the server did not accept, the oldest first.
  ///
  /// The result covers all saves that have returned, in all processes. Takes time in proportion to the number of
  /// changes that the server did not accept, and a step for each save since the last request.
  ///
  /// - Throws: `FetchError` or `StoreError` if the store cannot be read.
  public func conflicts() throws -> [RemoteConflict<Element>] {
    let outbox = try synchronizer.cache.outboxAtHead()
    return try outbox.refused().map { RemoteConflict($0, outbox.context.find(Element.ID(uuid: $0.object))) }
  }

  /// Resolves a conflict.
  ///
  /// If it is already resolved, nothing happens.
  ///
  /// If the local change wins, the next ``send()`` sends it.
  ///
  /// - Throws: `SaveError` or `StoreError` if the store cannot be read or written. `CancellationError`.
  nonisolated(nonsending) public func resolve(
    _ conflict: RemoteConflict<Element>, _ resolution: RemoteConflict<Element>.Resolution
  ) async throws {
    let id = conflict.id
    let cache = synchronizer.cache
    try await cache.transaction("Resolve conflict") { transaction in
      guard let id = OutboxEntry.ID(id) else { return }
      switch resolution {
      case .mine: try transaction.keepMine(id)
      case .theirs: try transaction.takeTheirs(id)
      }
    }
    arrive(failure)
  }

  // MARK: Arriving

  /// Shows the present rows of the store, and announces them.
  ///
  /// - Parameter failure: The reason why the server could not be read. `nil` if it was read.
  func arrive(_ failure: (any Error)?) {
    defer { tellRefusedRows() }
    let (before, failureBefore) = (loadState, self.failure.map { "\($0)" })
    let snapshot = list.snapshot
    // An observer of the rows may also read the load state.
    self.failure = failure
    Self.moveToHead(list.context)
    let state = list.context.find(RemoteState.id(of: name))
    isRead = state?.isRead ?? false
    hasNextPage = state?.nextPage != nil
    list.flush()
    // Observers wait for a batch to learn that the source is no longer loading, even if it has no rows.
    let isChanged =
      switch (before, loadState) {
      case (.loaded, .loaded), (.loading, .loading): false
      default: true
      }
    if isChanged || failureBefore != failure.map({ "\($0)" }), list.snapshot == snapshot {
      observers.deliver(ListBatch(before: snapshot, after: list.snapshot))
    }
  }

  private func tellRefusedRows() {
    let rows = synchronizer.cache.refusedSince()
    if let first = rows.first { onProblem?(RemoteError.refusedRows(count: rows.count, first: "\(first)")) }
  }

  /// Contexts of an actor would follow in a later turn, and contexts without an actor would never follow.
  private static func moveToHead(_ context: ObjectContext) {
    var context = context
    while let child = context as? ChildContext { context = child.parent }
    if let root = context as? RootContext, root.followsHead || !root.isOfActor { try? root.refresh() }
  }
}
