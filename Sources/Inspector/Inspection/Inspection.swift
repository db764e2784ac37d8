import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectGraph
import RepriseTool

/// Answers the requests of the page about one store.
///
/// It has a separate queue, because a fetch may read the disk for long. The program that serves the page needs its
/// threads meanwhile.
package actor Inspection {
  let store: Store
  let isEditable: Bool
  let author: String
  /// The contexts of the program that serves the page. `nil` if it has none, as the command.
  let live: LiveContexts?
  let limits: RowOrder.Limits
  private let queue = QueueExecutor()
  /// Contexts at the positions of the last requests, the latest one at the end. The first fetch at a position reads the
  /// log up to the head, so later requests for the position use its context again.
  private var contexts: [(position: Position, context: PastContext)] = []
  /// The drafts that the page edits, by ID.
  var drafts: [String: ResumedDraft] = [:]
  private var counts: [(key: CountKey, count: Int)] = []
  private var orders: [RowOrder] = []
  /// The last preview of each reversal, by the position of the transaction.
  var shownReverts: [UInt64: RevertPreview] = [:]

  /// Frees everything after a time without requests. Otherwise a past state would keep the log from being shortened.
  private var resting: Task<Void, Never>?
  private let patience: Duration
  /// The number of open pages. Without one, nobody looks at the resumed drafts any more.
  private var pageCount = 0

  package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  private struct CountKey: Equatable {
    let fetch: String
    let state: ShownState
  }

  /// - Parameters:
  ///   - author: The author of reverts, and of saved drafts without an author.
  ///   - patience: The time after the last request, and without an open page, until the inspection closes its drafts.
  package init(
    _ store: Store, isEditable: Bool, author: String, live: LiveContexts?, limits: RowOrder.Limits = RowOrder.Limits(),
    patience: Duration = .seconds(30)
  ) {
    (self.store, self.isEditable, self.author) = (store, isEditable, author)
    (self.live, self.limits, self.patience) = (live, limits, patience)
  }

  /// Each request has an answer, also one that fails.
  package func answer(_ request: PageRequest) async -> PageAnswer {
    resting?.cancel()
    defer { restSoon() }
    do {
      // The page may have left while the request waited for its turn.
      if Task.isCancelled { throw PageFailure.cancelled }
      if store.isClosed { throw StoreError.closed(path: store.path) }
      if request.method == .post {
        guard isEditable else { throw PageFailure.readOnly }
        return PageAnswer(try await RecentFetches.$isAnswering.withValue(true) { try await change(request) })
      }
      return try await RecentFetches.$isAnswering.withValue(true) { try await read(request) }
    } catch {
      return PageAnswer(error)
    }
  }

  private func read(_ request: PageRequest) async throws -> PageAnswer {
    switch request.path {
    case "api/store": PageAnswer(try overview(request))
    case "api/rows": PageAnswer(try rows(request))
    case "api/plan": PageAnswer(try plan(request))
    case "api/object": PageAnswer(try object(request))
    case "api/members": PageAnswer(try members(request))
    case "api/value": try value(request)
    case "api/log": PageAnswer(try log(request))
    case "api/transaction": PageAnswer(try transaction(request))
    case "api/history": PageAnswer(try history(request))
    case "api/moment": PageAnswer(try moment(request))
    case "api/drafts": PageAnswer(try allDrafts())
    case "api/draft": try draft(request)
    case "api/resumed": PageAnswer(try resumedState(request))
    case "api/scenes": PageAnswer(try await Self.scenes(in: store))
    case "api/live": PageAnswer(try await liveState(request))
    default: throw PageFailure.noPath(request.path)
    }
  }

  private func change(_ request: PageRequest) async throws -> JSON {
    switch request.path {
    case "api/revert": try await revert(request)
    case "api/draft": try await changeDraft(request)
    case "api/resumed": try await changeResumed(request)
    case "api/value": try await setValue(request)
    default: throw PageFailure.noPath(request.path)
    }
  }

  private func liveState(_ request: PageRequest) async throws -> JSON {
    guard let live else { throw PageFailure.noPath(request.path) }
    return await live.json(of: store)
  }

  // MARK: States

  /// The state that a request wants to see: a moment of the log, or the head with the edits of a resumed draft.
  func context(_ request: PageRequest, _ moment: FetchMoment? = nil) throws -> ObjectContext {
    switch moment {
    case .position(let position): return try context(at: Places(store).existing(position))
    case .microseconds(let time): return try context(at: store.log.position(atMicroseconds: time))
    case nil: break
    }
    if let position = try request.position("at") { return try context(at: Places(store).existing(position)) }
    guard let id = request.optional("draft") else { return try context(at: store.log.head) }
    let context = try resumed(id).context
    try context.refresh()
    return context
  }

  func context(at position: Position) throws -> PastContext {
    let context =
      if let known = contexts.firstIndex(where: { $0.position == position }) {
        contexts.remove(at: known).context
      } else { try store.context(at: position) }
    contexts.append((position, context))
    // Each keeps a position of the log readable, and the objects that the page shows.
    if contexts.count > 4 { contexts.removeFirst() }
    return context
  }

  private func restSoon() {
    resting?.cancel()
    let patience = patience
    resting = Task { [weak self] in
      try? await Task.sleep(for: patience)
      if !Task.isCancelled { await self?.rest() }
    }
  }

  /// Frees the memory that only makes the next request fast. Closes the drafts if no page is open.
  func rest() {
    contexts = []
    counts = []
    orders = []
    if pageCount == 0 { closeDrafts() }
    if drafts.isEmpty { return }
    // At an old position, the context of a draft would keep the log from being shortened.
    for draft in drafts.values { try? draft.context.refresh() }
    restSoon()
  }

  /// A page has opened or closed its stream of events.
  package func pagesChanged(by change: Int) {
    pageCount += change
    restSoon()
  }

  /// The number of objects that a fetch finds. A condition without an index needs a visit of all objects, so the
  /// inspection keeps the number for other rows of the fetch.
  func count<Model: PersistentModel>(_ fetch: Fetch<Model>, in context: ObjectContext) throws -> Int {
    let key = CountKey(fetch: fetch.text, state: state(of: context))
    if let known = counts.first(where: { $0.key == key }) { return known.count }
    let count = try context.count(fetch)
    counts.append((key, count))
    if counts.count > 16 { counts.removeFirst() }
    return count
  }

  /// The order of all rows of a fetch.
  func order<Model: PersistentModel>(of fetch: Fetch<Model>, in context: ObjectContext) throws -> RowOrder {
    let (text, state) = (fetch.text, state(of: context))
    if let known = orders.first(where: { $0.fetch == text && $0.state == state }) { return known }
    // Before the fetch, so that the memory of two orders is enough.
    if orders.count > 1 { orders.removeFirst() }
    let order = RowOrder(fetch: text, state: state, ids: try context.fetchIDs(fetch).map(\.uuid))
    orders.append(order)
    return order
  }

  private func state(of context: ObjectContext) -> ShownState {
    let draft = resumed(in: context)
    return ShownState(position: context.position, draft: draft?.id, version: draft?.version ?? 0)
  }

  /// The object with an ID, in the forms that the command reads.
  func id(_ request: PageRequest, in context: ObjectContext) throws -> AnyObjectID {
    try Places(store).object(try request.required("id"), in: context)
  }
}
