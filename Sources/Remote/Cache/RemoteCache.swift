import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem

/// The part of a source that is in the store. Transactions with the author "source" change it, off the main actor.
final class RemoteCache<Element: PersistentModel, Record: Codable & Sendable>: Sendable {
  typealias Transaction = CacheTransaction<Element, Record>

  let name: String
  let store: Store
  let mapping: RemoteMapping<Element, Record>
  private let policy: RemoteConflictPolicy
  let scope: RemoteScope<Element>
  let map: EntityMap
  let keySlot: Int
  let background: BackgroundContext
  let turns = RemoteTurns()
  let memory = Guarded(Memory())

  struct Memory {
    /// A position without local changes to collect before it. It may be later than the position in the store.
    var collected: Position = 0
    /// The reading of the whole list that is under way.
    var pass: RemotePass<Record>?
    /// The refused rows to report to the program.
    var refused: [RefusedRow] = []
  }

  init(
    _ name: String, _ store: Store, _ mapping: RemoteMapping<Element, Record>, _ scope: Fetch<Element>,
    _ policy: RemoteConflictPolicy
  ) throws {
    guard store.map.map(RemoteState.entity.interned) != nil, store.map.map(OutboxEntry.entity.interned) != nil,
      store.map.map(RefusedRowEntry.entity.interned) != nil
    else {
      throw RemoteError.missingModels(path: store.path)
    }
    guard let map = store.map.map(Element.entity.interned) else { throw FetchError.unknownEntity(Element.entity.name) }
    guard let keySlot = map.entity.slot(named: mapping.keyName), map.entity.properties[keySlot].attribute != nil else {
      throw FetchError.unknownProperty(
        term: mapping.keyName, entity: map.entity.name, property: mapping.keyName)
    }
    // Without a unique index, two objects could be the same row, and an edit of one of them would be lost.
    let isUnique = map.uniqueIndexes.contains { index in
      index.slot.flatMap { map.entity.index($0) }.map { $0.columns == [keySlot] } ?? false
    }
    guard isUnique else { throw RemoteError.keyNotUnique(entity: map.entity.name, property: mapping.keyName) }
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

  /// Runs `body` over the head of the log, with all local changes in the outbox, and saves its changes. Repeats this if
  /// another save came between.
  func transaction<Result: Sendable>(
    _ title: String, _ body: @escaping @Sendable (Transaction) throws -> Result
  ) async throws -> Result {
    // One at a time, because the context cannot be shared while it is saved.
    try await turns.inTurn { try await attempt(title, body) }
  }

  private func attempt<Result: Sendable>(
    _ title: String, _ body: @escaping @Sendable (Transaction) throws -> Result
  ) async throws -> Result {
    try await background.perform { context in
      // The changes of a failed transaction do not stay until the next one.
      defer { context.discard() }
      var failures = 0
      var violated = 0
      // Each failure means that another save succeeded.
      while failures < 1000 {
        context.discard()
        try context.refresh()
        let transaction = try self.begin(context)
        let reached = try self.collect(transaction)
        // If there are many local changes, each attempt saves a part of them.
        let isComplete = reached >= context.position
        let result = isComplete ? try body(transaction) : nil
        do {
          try await self.save(transaction, reached, title)
        } catch SaveError.refused(let refusal) where !refusal.conflicts.isEmpty {
          failures += 1
          continue
        } catch SaveError.refused(let refusal) where refusal.invalidValues.isEmpty {
          // Another save took the value. If it is still taken, the server and this store differ in their rules.
          violated += 1
          guard violated < 3 else { throw SaveError.refused(refusal) }
          continue
        }
        if let result { return result }
      }
      throw RemoteError.unavailable(
        reason: "too many other saves delayed the save of the server's answer", retryAfter: nil)
    }
  }

  func begin(_ context: RootContext) throws -> Transaction {
    let state = context.find(RemoteState.id(of: name)) ?? context.insert(RemoteState(name))
    let outbox = Outbox(
      context: context, state: state, map: map, keySlot: keySlot, keyText: mapping.keyText,
      isRow: { [scope] in try scope.contains($0, at: $1, in: context) })
    return Transaction(
      context: context, mapping: mapping, policy: policy, outbox: outbox, state: state, scope: scope,
      refusals: RowRefusals(context, name))
  }

  private func collect(_ transaction: Transaction) throws -> Position {
    try transaction.outbox.collect(after: max(transaction.state.reached, memory.withLock { $0.collected }))
  }

  /// The outbox at the head of the log, with the local changes that no transaction has collected yet. Its context is
  /// never saved.
  func outboxAtHead() throws -> Outbox {
    // Read before the context is made, so that the context's position includes everything collected so far.
    let collected = memory.withLock { $0.collected }
    let context = RootContext(store)
    let outbox = try begin(context).outbox
    var reached = max(outbox.state.reached, collected)
    repeat { reached = try outbox.collect(after: reached) } while reached < context.position
    if !context.hasChanges { memory.withLock { $0.collected = max($0.collected, reached) } }
    return outbox
  }

  /// After this number of transactions without a local change, the position is saved, so that the next launch need not
  /// read them.
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

  // MARK: Sending

  /// - Parameter body: Makes the bytes of a change that was not sent yet.
  func nextMessage(
    _ body: @escaping @Sendable (RemoteChange<Record>) throws -> [UInt8]?
  ) async throws -> OutboxMessage<Record>? {
    try await transaction("Send change") { try $0.nextMessage(body) }
  }

  /// Records that an answer cannot be understood, with the reason.
  func leaveUnanswered(_ message: OutboxMessage<Record>, _ reason: String) async throws {
    try await transaction("Receive answer") { try $0.leaveUnanswered(message, reason) }
  }

  /// Applies an answer. If the store cannot keep the answer's row, the answer still decides whether the change is done.
  func receive(_ answer: RemoteAnswer<Record>, to message: OutboxMessage<Record>) async throws {
    do {
      try await receive(answer, to: message, refusal: nil)
    } catch {
      guard let refusal = RowRefusal.reason(of: error) else { throw error }
      try await receive(answer, to: message, refusal: refusal)
      if case .accepted(let record?) = answer { note([RefusedRow(id: mapping.validID(record), reason: refusal)]) }
    }
  }

  private func receive(
    _ answer: RemoteAnswer<Record>, to message: OutboxMessage<Record>, refusal: String?
  ) async throws {
    let (id, before, after) = try await transaction("Receive answer") { transaction -> (String?, Int, Int) in
      let before = transaction.state.reading
      let id = try transaction.receive(answer, to: message, refusal: refusal)
      if before != transaction.state.reading { return (id, before, before) }
      // A reading in another process may have passed the page of a new row before the row existed. Changing the number
      // makes it restart.
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
