import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// A list of a server's rows, kept as objects in the store: it is there at once and offline, can be edited like any
/// other object, and is brought in line with the server when that can be reached.
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
/// **Reading.** What the server says becomes transactions of the author "source" (`RemoteModels.author`), so the log
/// tells what it changed when, and a refresh that brings nothing new writes nothing. Rows, sections, batches and
/// identifiers are those of a `FetchedList` over the objects, ``list``: a restored screen has its rows before the
/// server has been asked.
///
/// **Writing.** Whatever a save of another author changes of the model is sent: made in any context, by any process,
/// also before the source was made. The log is the outbox, so no kill loses a change, and each has an idempotency key
/// of its own, so none is made twice. Changes are sent in the order of the saves; those of one object that wait are
/// joined. Objects that were there before the source are sent as well, unless they have a key: a row of that identifier
/// is merged with them.
///
/// **Several lists of one model.** Each is a source with a `scope` of its own, such as `{ $0.list == "inbox" }`, and a
/// mapping that puts its rows there. An object that a save moves from one scope to another is deleted in the one list,
/// and made in the other, under the identifier that it has; one that leaves all scopes stays in the store. So the
/// identifiers of all lists must differ, unless a row that the servers move keeps its own: then it stays the same
/// object, and what was saved of it meanwhile is given up.
///
/// **Both.** Until the server has accepted a change, what it says does not overwrite it. Where both changed different
/// properties, they are merged. Otherwise it is a ``RemoteConflict``, which is kept in the store until it is resolved,
/// unless ``RemoteOptions/conflicts`` says which side wins.
///
/// A row that cannot be read, or that the store cannot keep, as the mapping refuses it or it breaks a rule of the
/// model, is left out, and listed by ``refusedRows()``; all others are taken.
///
/// If the answer to a new object was lost, a refresh that meets new rows asks for it again first, as one of them may be
/// that. Where the server answers reading and not that, the object is there twice until the next ``send()`` makes one
/// of both: the one made here stays, with what was saved of the other. An edit of the other that is saved after that is
/// a `SaveError.violations`.
///
/// The source belongs to its context's isolation; requests, and what they bring, are worked on off it. Several
/// processes may have the same source at once. A record that is sent may take up to 1 MB.
public final class RemoteSource<Element: PersistentModel, Transport: RemoteTransport> {
  /// The name, under which the store keeps where the source is. Permanent.
  public let name: String
  /// The rows.
  public let list: FetchedList<Element>
  /// Whether the server has further rows, or has never been asked. As of the last time that the source was asked for
  /// anything.
  public var canLoadMore: Bool { !isRead || hasNextPage }
  /// Why the server could not be read when it was last asked; `nil` if it could. Observers are told when it changes.
  public private(set) var failure: (any Error)?
  /// Is told of what goes wrong in ``run(every:)``, which goes on; and whenever the store could not keep rows of the
  /// server, by `RemoteError.refusedRows(count:first:)`.
  public var onProblem: ((any Error) -> Void)?

  var isRead: Bool
  private var hasNextPage: Bool
  let options: RemoteOptions
  let synchronizer: RemoteSynchronizer<Element, Transport>
  let observers = ListObservers()
  let refreshing = SingleFlight()
  let loading = SingleFlight()
  private let sending = SingleFlight()

  /// Makes a source. The server is not asked until ``refresh()``, ``synchronize()`` or ``run(every:)``.
  ///
  /// O(log n), and the cost of the list.
  ///
  /// - Parameters:
  ///   - name: Under which the store keeps where the source is. Never change it.
  ///   - fetch: Which of the objects are shown, and in which order: the server's, if it has pages.
  ///   - context: That shows them.
  ///   - transport: The way to the server.
  ///   - mapping: How rows become objects.
  ///   - scope: Which objects are rows of the server's list; all of the model, by default. Only their changes are sent,
  ///     and those that are on none of the list's pages are deleted. What counts are properties of the object itself,
  ///     and what its to-ones lead to, at the time of each save.
  ///   - options: How conflicts and failures are dealt with.
  /// - Throws: `RemoteError.missingModels(path:)`, `RemoteError.keyNotUnique(entity:property:)`; `FetchError`: the
  ///   fetch, the scope or the mapping's key does not fit the models, or the store cannot be read.
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
      cache, RemoteLine(transport, options.retry, RemoteClock(options.clock)), readsAllPages: options.readsAllPages)
    let state = context.find(RemoteState.id(of: name))
    isRead = state?.isRead ?? false
    hasNextPage = state?.nextPage != nil
  }

  // MARK: Asking the server

  /// Sends what is to be sent, then reads what changed. A failure to send does not keep it from reading.
  ///
  /// - Throws: As ``send()`` and ``refresh()``; the first of both.
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

  /// Sends the changes that the server has not accepted yet, one after the other. What it refuses, or what cannot be
  /// sent, as a record that is too large, is then among ``conflicts()``, and does not hold up other objects. A call
  /// during another one joins it.
  ///
  /// - Throws: `RemoteError`: what was not sent is sent by the next call; `CancellationError`.
  nonisolated(nonsending) public func send() async throws {
    let synchronizer = synchronizer
    try await sending.run { try await synchronizer.send() }
    arrive(failure)
  }

  /// Keeps the source in line with the server until the task is cancelled: sends changes as they are saved, by
  /// whichever process, and refreshes at intervals. While the server cannot be reached, it asks less and less often, up
  /// to ``RemoteRetry/longestDelay``; ``onProblem`` is told.
  ///
  /// - Parameter interval: Between two refreshes; `nil` for one at the beginning.
  /// - Throws: `CancellationError`.
  nonisolated(nonsending) public func run(every interval: Duration? = nil) async throws {
    let clock = synchronizer.line.clock
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
        if case RemoteError.unavailable(_, let after?) = error { delay = max(delay ?? after, after) }
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

  // MARK: What waits

  /// How many changes the server has not accepted yet, as far as they have been taken up from the log; that happens
  /// when the server is asked. O(log n).
  ///
  /// - Throws: `FetchError`: the store cannot be read.
  public var pendingCount: Int {
    get throws {
      let name = name
      return try list.context.count(Fetch<OutboxEntry> { $0.source == name })
    }
  }

  /// Whether the object has a change that the server has not accepted yet; as ``pendingCount``.
  ///
  /// - Throws: `FetchError`: the store cannot be read.
  public func isPending(_ object: Element.ID) throws -> Bool {
    let name = name
    return try list.context.exists(Fetch<OutboxEntry> { $0.object == object.uuid && $0.source == name })
  }

  /// The changes that the server did not accept, the oldest first. Costs their number.
  ///
  /// - Throws: `FetchError`: the store cannot be read.
  public func conflicts() throws -> [RemoteConflict<Element>] {
    let name = name
    let state = OutboxEntry.State.refused
    return try list.context.fetch(
      Fetch<OutboxEntry> { $0.source == name && $0.state == state }.sorted { $0.sequence }
    ).map { RemoteConflict($0, list.context.find(Element.ID(uuid: $0.object))) }
  }

  /// Resolves a conflict. Nothing happens if it is none any more. The local change is sent by the next ``send()``.
  ///
  /// - Throws: `SaveError`, `StoreError`: the store cannot be read or written.
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

  /// Shows what is in the store now, and tells it.
  ///
  /// - Parameter failure: Why the server could not be read, if so.
  func arrive(_ failure: (any Error)?) {
    defer { tellRefusedRows() }
    let (before, failureBefore) = (readiness, self.failure.map { "\($0)" })
    let snapshot = list.snapshot
    // Whoever is told of rows may ask for the rest as well.
    self.failure = failure
    Self.moveToHead(list.context)
    let state = list.context.find(RemoteState.id(of: name))
    isRead = state?.isRead ?? false
    hasNextPage = state?.nextPage != nil
    list.flush()
    // Observers wait for a batch to learn that the source is no longer pending, even if it has no rows.
    let isChanged =
      switch (before, readiness) {
      case (.ready, .ready), (.pending, .pending): false
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

  /// Contexts of an actor would follow in a later turn, and those of none not at all.
  private static func moveToHead(_ context: ObjectContext) {
    var context = context
    while let child = context as? ChildContext { context = child.parent }
    if let root = context as? RootContext, root.followsHead || !root.isOfActor { try? root.refresh() }
  }
}
