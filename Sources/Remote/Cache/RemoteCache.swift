import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem

/// What a source keeps in the store, changed in transactions of the author "source", off the main actor.
final class RemoteCache<Element: PersistentModel, Record: Codable & Sendable>: Sendable {
  typealias Transaction = CacheTransaction<Element, Record>

  let name: String
  let store: Store
  private let mapping: RemoteMapping<Element, Record>
  private let policy: RemoteConflictPolicy
  private let scope: RemoteScope<Element>
  private let map: EntityMap
  private let keySlot: Int
  private let background: BackgroundContext
  private let turns = RemoteTurns()
  private let memory = Guarded(Memory())

  private struct Memory {
    /// The position up to which there was nothing to collect, beyond what the store says.
    var collected: Position = 0
    /// The reading of the whole list that is under way.
    var pass: RemotePass?
  }

  init(
    _ name: String, _ store: Store, _ mapping: RemoteMapping<Element, Record>, _ scope: Fetch<Element>,
    _ policy: RemoteConflictPolicy
  ) throws {
    guard store.map.map(RemoteState.entity.interned) != nil, store.map.map(OutboxEntry.entity.interned) != nil else {
      throw RemoteError.missingModels(path: store.path)
    }
    guard let map = store.map.map(Element.entity.interned) else { throw FetchError.unknownEntity(Element.entity.name) }
    guard let keySlot = map.entity.slot(named: mapping.keyName), map.entity.properties[keySlot].attribute != nil else {
      throw FetchError.unknownProperty(
        term: mapping.keyName, entity: map.entity.name, property: mapping.keyName)
    }
    self.name = name
    self.store = store
    self.mapping = mapping
    self.policy = policy
    self.scope = try RemoteScope(scope, map, in: store)
    self.map = map
    self.keySlot = keySlot
    background = BackgroundContext(store, author: RemoteModels.author, name: name)
  }

  // MARK: Transactions

  /// Runs `body` over the head of the log, with all local changes in the outbox, and saves what it changed; again if
  /// another save came between.
  func transaction<Result: Sendable>(
    _ title: String, _ body: @escaping @Sendable (Transaction) throws -> Result
  ) async throws -> Result {
    // One at a time: while one is being saved, the context may not be another's.
    try await turns.inTurn { try await attempt(title, body) }
  }

  private func attempt<Result: Sendable>(
    _ title: String, _ body: @escaping @Sendable (Transaction) throws -> Result
  ) async throws -> Result {
    try await background.perform { context in
      var failures = 0
      var violated = 0
      // Each failure is the progress of someone else.
      while failures < 1000 {
        context.discard()
        try context.refresh()
        let transaction = try self.begin(context)
        let reached = try self.collect(transaction)
        // So many local changes are saved in parts.
        let isComplete = reached >= context.position
        let result = isComplete ? try body(transaction) : nil
        do {
          try await self.save(transaction, reached, title)
        } catch let error as SaveError where !error.conflicts.isEmpty {
          failures += 1
          continue
        } catch SaveError.violations(let violations) {
          // Another save took the value; if it is still taken, the server and this store differ in their rules.
          violated += 1
          guard violated < 3 else { throw SaveError.violations(violations) }
          continue
        }
        if let result { return result }
      }
      throw RemoteError.unavailable(reason: "the store is too busy to take up its answer", retryAfter: nil)
    }
  }

  private func begin(_ context: RootContext) throws -> Transaction {
    let state = context.find(RemoteState.id(of: name)) ?? context.insert(RemoteState(name))
    let outbox = Outbox(
      context: context, state: state, map: map, keySlot: keySlot, keyText: mapping.keyText,
      isRow: { [scope] in try scope.contains($0, at: $1, in: context) })
    return Transaction(
      context: context, mapping: mapping, policy: policy, outbox: outbox, state: state, scope: scope)
  }

  private func collect(_ transaction: Transaction) throws -> Position {
    let known = max(Position(UInt64(max(0, transaction.state.collected))), memory.withLock { $0.collected })
    return try transaction.outbox.collect(after: known)
  }

  /// Beyond so many transactions without a local change, the store is told, so that the next launch need not read them.
  private static var collectedLag: Int { 4096 }

  nonisolated(nonsending)
    private func save(_ transaction: Transaction, _ reached: Position, _ title: String) async throws
  {
    let state = transaction.state
    let context = transaction.context
    let collected = Int(truncatingIfNeeded: reached.number)
    if context.hasChanges || collected - state.collected > Self.collectedLag {
      state.collected = collected
      state.stamp = Int(truncatingIfNeeded: RandomWords.next())
      try await context.save(title, merging: .error)
    }
    memory.withLock { $0.collected = reached }
  }

  // MARK: Reading

  /// Where to read on.
  struct Place: Sendable {
    var pages: Int
    var nextPage: String?
    var validator: String?
    var cursor: String?
    var reading: Int
  }

  func place() async throws -> Place {
    try await transaction("Collect changes") { transaction in
      let state = transaction.state
      return Place(
        pages: state.pages, nextPage: state.nextPage, validator: state.validator, cursor: state.cursor,
        reading: state.reading)
    }
  }

  /// Is told that the server has answered a request to read, before what it said is taken over.
  func noteReading() async throws { try await transaction("Note reading") { try $0.markCreation() } }

  /// Begins to read the list from its first page.
  func beginPass(at place: Place) throws {
    let head = try store.refreshedHead()
    memory.withLock { $0.pass = RemotePass(head, place.reading) }
  }

  /// What became of a page that was read.
  enum Taking: Sendable {
    case taken
    /// The place to which it belongs is another one by now: somebody else has read the list.
    case overtaken
    /// A new row may be one that was made here: ask for the answer that was lost first.
    case unanswered
  }

  /// Takes over a page of the list.
  ///
  /// - Parameters:
  ///   - number: Its number, from 1.
  ///   - request: What was asked for. A page that follows another is dropped if that is no longer the last one.
  ///   - isLast: Whether none is read after it. Of a page that brings nothing new, and after which others are read,
  ///     nothing is written: where the source is in the list stays as it was before this reading.
  ///   - isAsked: Whether there is no use in asking for a lost answer.
  func take(
    _ page: RemotePage<Record>, number: Int, of request: RemoteRequest, isLast: Bool, isAsked: Bool
  ) async throws -> Taking {
    let ids = page.records.compactMap { mapping.identify($0) }
    let known = memory.withLock { $0.pass }.flatMap { $0.nextPage == request.page ? $0.adding(page, ids) : nil }
    let (taking, pass) = try await transaction("Receive rows") { transaction -> (Taking, RemotePass?) in
      let state = transaction.state
      var pass = known.flatMap { $0.reading == state.reading ? $0 : nil }
      // As long as nothing came between, the page before need not have been written.
      if number > 1, pass == nil, state.nextPage != request.page { return (.overtaken, nil) }
      if try !isAsked && transaction.mayHaveMade(page.records) { return (.unanswered, nil) }
      for record in page.records { try transaction.take(record) }
      for id in page.deletedIDs { try transaction.takeAway(id) }
      // Of a list that is not there as a whole, there is no saying that it did not change.
      let whole = page.nextPage == nil ? pass.flatMap { $0.isTorn ? nil : $0 } : nil
      if let whole { try self.takeAwayMissing(whole, transaction) }
      if !isLast, pass != nil, !transaction.context.hasChanges { return (.taken, pass) }
      set(state, \.nextPage, page.nextPage)
      set(state, \.pages, number)
      set(state, \.validator, whole?.validator)
      set(state, \.cursor, whole?.cursor)
      set(state, \.isRead, true)
      if transaction.context.hasChanges { state.changeReading() }
      pass?.reading = state.reading
      return (.taken, pass)
    }
    if taking != .unanswered { memory.withLock { $0.pass = pass } }
    return taking
  }

  /// Takes over a page of what changed since a cursor; with the last one, where to go on from.
  ///
  /// - Parameter place: Where the reading began, or where its last page left it.
  func take(
    changes page: RemotePage<Record>, since place: inout Place, next: String?, isAsked: Bool
  ) async throws -> Taking {
    let known = place
    let (taking, reading) = try await transaction("Receive changes") { transaction -> (Taking, Int) in
      let state = transaction.state
      // What others read meanwhile may be newer, also if they are not at the end of their pages yet.
      if state.cursor != known.cursor || state.reading != known.reading { return (.overtaken, state.reading) }
      if try !isAsked && transaction.mayHaveMade(page.records) { return (.unanswered, state.reading) }
      for record in page.records { try transaction.take(record) }
      for id in page.deletedIDs { try transaction.takeAway(id) }
      if let next, page.nextPage == nil { set(state, \.cursor, next) }
      if page.nextPage != nil, transaction.context.hasChanges { state.changeReading() }
      return (.taken, state.reading)
    }
    if taking == .taken { place.reading = reading }
    return taking
  }

  func forgetPlace() async throws {
    try await transaction("Start over") { transaction in
      set(transaction.state, \.nextPage, nil)
      set(transaction.state, \.validator, nil)
      set(transaction.state, \.cursor, nil)
    }
  }

  /// Takes away the rows that are on none of all pages: the server deleted them. Those that came while the pages were
  /// read may be on one that was read before.
  private func takeAwayMissing(_ pass: RemotePass, _ transaction: Transaction) throws {
    let context = transaction.context
    let seen = pass.seen
    for row in try mapping.keys(scope.fetch, context) where !seen.contains(row.key) {
      guard try wasThere(row.id, row.key, at: pass.start), let object = context.find(row.id) else { continue }
      // A new row of this side is not known to the server.
      let entries = try transaction.outbox.entries(of: row.id.uuid)
      if entries.last?.kind != .create { try transaction.takeAway(object) }
    }
  }

  private func wasThere(_ id: Element.ID, _ key: String, at position: Position) throws -> Bool {
    let pinned = store.pin(at: position)
    defer { store.unpin(pinned) }
    return try store.values(of: id.uuid, map, at: position).flatMap { mapping.keyText($0[keySlot]) } == key
  }

  // MARK: Sending

  func nextMessage() async throws -> OutboxMessage<Record>? {
    try await transaction("Send change") { try $0.nextMessage() }
  }

  /// Takes over an answer. If the store cannot keep the row that it has, the change is no less done, or not done.
  func receive(_ answer: RemoteAnswer<Record>, to message: OutboxMessage<Record>) async throws {
    do {
      try await receive(answer, to: message, refusal: nil)
    } catch {
      guard let refusal = RowRefusal.reason(of: error) else { throw error }
      try await receive(answer, to: message, refusal: refusal)
    }
  }

  private func receive(
    _ answer: RemoteAnswer<Record>, to message: OutboxMessage<Record>, refusal: String?
  ) async throws {
    let (id, before, after) = try await transaction("Receive answer") { transaction -> (String?, Int, Int) in
      let before = transaction.state.reading
      let id = try transaction.receive(answer, to: message, refusal: refusal)
      if before != transaction.state.reading { return (id, before, before) }
      // The page of a new row may have been read before it was there: who reads in another process does not know.
      if message.change.kind == .create, transaction.context.hasChanges { transaction.state.changeReading() }
      return (id, before, transaction.state.reading)
    }
    memory.withLock { memory in
      guard memory.pass?.reading == before else { return }
      memory.pass?.reading = after
      if let id { memory.pass?.made(id) }
    }
  }
}

/// Sets a property that changes: an assignment of the same value must not make a transaction.
private func set<Value: Equatable>(
  _ state: RemoteState, _ property: ReferenceWritableKeyPath<RemoteState, Value>, _ value: Value
) {
  if state[keyPath: property] != value { state[keyPath: property] = value }
}
