import RepriseEventStore
import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The log that a store of this process shares with other machines.
///
/// ```swift
/// let log = SharedLog(transport)
/// let store = try await Store.open(path, for: Item.self, sharing: log)
/// ```
///
/// Make one shared log and one transport for each store of a process. The shared log connects when a store is opened
/// with it, and ends the connection when the store is closed.
public final class SharedLog: LogSharing {
  // One task has the connection. It appends the packets of this process in order, and follows the packets of other
  // machines.

  package struct Options: Sendable {
    /// How long a save waits for the shared log, in nanoseconds.
    package var patience: UInt64 = 10_000_000_000
    /// How often the store looks for packets without a hint. `nil` if only hints count.
    package var poll: Duration? = .milliseconds(250)
    /// The waits before a lost connection is tried again.
    package var retries = (first: Duration.milliseconds(20), last: Duration.seconds(1))
    package var clock: any Clock<Duration> = ContinuousClock()

    package init() {}
  }

  struct State {
    var replica: Replica?
    var store = WeakStore()
    var appends: [PendingAppend] = []
    var releases: [Release] = []
    var isFollowDue = false
    var failure: SharedLogError?
    /// The last error of the connection. `nil` while it works.
    var problem: String?
    /// `nil` unless a store uses the connection.
    var run: Run?
    var counts = Counts()
    /// Whether another process of the machine reads the packets.
    var isFollowedElsewhere = false
    /// When drafts no longer wait for packets. `nil` before the first draft.
    var draftDeadline: UInt64?

    /// Whether the connection works on the first packets after the opening.
    var mayGetPacketsSoon: Bool {
      run != nil && failure == nil && problem == nil && counts.upToDate == nil && !isFollowedElsewhere
    }
  }

  /// The tasks of the connection, from the beginning of the store's opening to its end.
  struct Run: Sendable {
    let event: AsyncStream<Void>.Continuation
    let claim: WorkClaim
    var tasks: [Task<Void, Never>]
    /// Listens to the hints of the connection.
    var hints: Task<Void, Never>?
  }

  struct WeakStore { weak var store: Store? }

  let transport: any LogTransport
  let options: Options
  let state = Guarded(State())
  let executor = ThreadExecutor()
  /// Ends the connection of an opening that failed. The next opening connects after it.
  let detaching = Guarded<Task<Void, Never>?>(nil)

  /// Makes a shared log. Does not connect.
  ///
  /// - Parameters:
  ///   - transport: The connection to the shared log, for example a `PostgreSQLLog`.
  ///   - patience: How long a save or an opening waits for an answer of the shared log. Then a save throws
  ///     `SaveError.unavailable` or `SaveError.outcomeUnknown`.
  public convenience init(_ transport: any LogTransport, patience: Duration = .seconds(10)) {
    var options = Options()
    options.patience = patience.nanoseconds
    self.init(transport, options)
  }

  package init(_ transport: any LogTransport, _ options: Options) {
    self.transport = transport
    self.options = options
  }

  deinit { _ = finish() }

  var failure: SharedLogError? { state.withLock(\.failure) }

  // MARK: The store

  package func begin(_ store: SharedStore) throws(StoreError) {
    // The packets of one store would go into the log of the other one.
    if let path = state.withLock({ $0.run == nil ? nil : $0.replica?.store.path }), path != store.path {
      throw .inUse(path: path)
    }
    let replica = Replica(store)
    let isShared = try StoreError.converting { () throws(StorageError) in try replica.sharedPlace() != nil }
    if !isShared {
      try replica.begin { (packet) throws(StoreError) in
        try wait(for: store.path) { [transport, detaching = detaching.withLock(\.self)] in
          await detaching?.value
          return try await transport.firstPacket(proposing: packet, for: replica)
        }
      }
    }
    try StoreError.converting { () throws(StorageError) in try replica.nameCopy() }
    start(replica)
  }

  /// Blocks the thread until the work with the shared log has ended, or the patience has.
  private func wait<Value: Sendable>(
    for path: String, _ work: @escaping @Sendable () async throws -> Value
  ) throws(StoreError) -> Value {
    let result = Guarded<Result<Value, any Error>?>(nil)
    let wakeUp = WakeUp()
    _ = Task(executorPreference: executor) {
      do {
        let value = try await work()
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      wakeUp.wake()
    }
    wakeUp.wait(until: WakeUp.now() + options.patience)
    switch result.withLock({ $0 }) {
    case .success(let value)?: return value
    case .failure(let error as StoreError)?: throw error
    case .failure(let error)?: throw .unavailable(path, "\(error)")
    case nil: throw .unavailable(path, Self.silence)
    }
  }

  private static let silence = "it did not answer in time"

  /// How long the drafts of an opening wait for the packets of the shared log in all, in nanoseconds. A program that
  /// restores its screens waits meanwhile.
  private static let briefPatience: UInt64 = 100_000_000

  package func waitForPackets() {
    let wakeUp = WakeUp()
    let deadline = state.withLock { state in
      state.draftDeadline = state.draftDeadline ?? WakeUp.now() + Self.briefPatience
      return state.draftDeadline ?? 0
    }
    while state.withLock(\.mayGetPacketsSoon), WakeUp.now() < deadline {
      wakeUp.wait(until: WakeUp.now() + 500_000)
    }
  }

  package func didOpen(_ store: Store) { state.withLock { $0.store = WeakStore(store: store) } }

  package func packet(
    from first: Position, derivations: [UInt32: UInt32], consuming drafts: [FrozenDraft], in journals: [UniqueID],
    _ view: View
  ) throws(StorageError) -> any RehearsedPacket {
    guard let replica = state.withLock(\.replica) else { throw .closed(StorageError.Site(.append, "the shared log")) }
    let (packet, place) = try replica.packet(
      from: first, derivations: derivations, consuming: drafts, in: journals, view)
    return PendingAppend(packet, after: place, of: replica.store.path, in: self)
  }

  package func write<Value>(
    _ environment: Environment, _ tables: StoreTables, by models: ResolvedSchema,
    unless isCancelled: (_ milliseconds: Int) -> Bool,
    _ body: (borrowing WriteTransaction) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try rehearse(environment, tables, by: models, unless: isCancelled, body)
  }

  package func commit(
    _ requests: inout [SaveRequest], to store: Store, unless isCancelled: (Int, inout [SaveRequest]) -> Bool,
    joinedBy late: () -> [SaveRequest]
  ) throws(SaveFailure) -> [Result<AppendedSave, AppendRefusal>] {
    try store.writer.append(&requests, to: store, through: self, unless: isCancelled, joinedBy: late)
  }

  func append(_ pending: PendingAppend) -> SharedAppend {
    let (refusal, event) = state.withLock { state -> (StoreError?, AsyncStream<Void>.Continuation?) in
      if let failure = state.failure { return (.sharing(path: pending.path, reason: failure), nil) }
      guard let run = state.run else { return (.closed(path: pending.path), nil) }
      state.appends.append(pending)
      return (nil, run.event)
    }
    if let refusal { return .refused(refusal) }
    event?.yield()
    return pending.wait(until: WakeUp.now() + options.patience) {
      .unavailable(pending.path, state.withLock(\.problem) ?? Self.silence)
    }
  }

  package func end() async {
    let tasks = finish()
    // Ends a call that still waits for an answer.
    if !tasks.isEmpty { await transport.detach() }
    for task in tasks { await task.value }
    // A task may have connected again just before it ended.
    if !tasks.isEmpty { await transport.detach() }
    refuseAll()
  }

  package func stop(_ path: String) {
    if let other = state.withLock(\.replica?.store.path), other != path { return }
    _ = finish()
    let transport = transport
    let task = Task(executorPreference: executor) { await transport.detach() }
    detaching.withLock { $0 = task }
    refuseAll()
  }

  private func refuseAll() {
    let (appends, releases) = state.withLock { state in
      defer { (state.appends, state.releases) = ([], []) }
      return (state.appends, state.releases)
    }
    for pending in appends { pending.fail(.closed(path: pending.path)) }
    for release in releases { release.done.resume(throwing: SharedLogError.closed) }
  }

  /// Whether this process follows the shared log for the store. The other processes of the machine see its commits.
  func isFollower(_ connection: inout SharedLogConnection) -> Bool {
    if !connection.isFollower {
      connection.isFollower = (try? state.withLock(\.run)?.claim.take()) ?? false
      state.withLock { state in
        state.counts.isFollower = connection.isFollower
        state.isFollowedElsewhere = !connection.isFollower
      }
    }
    return connection.isFollower
  }

  /// Lets another process of the machine follow.
  func leaveClaim() {
    state.withLock { $0.counts.isFollower = false }
    state.withLock(\.run)?.claim.close()
  }
}

extension LogTransport {
  /// The first packet of the shared log. If the log is empty, it becomes the proposed one.
  ///
  /// Several copies of a store may do this at the same time, and one packet is the first.
  fileprivate func firstPacket(
    proposing packet: LogPacket, for replica: Replica
  ) async throws -> Replica.FirstPacket {
    let standing = try await attach(to: replica.store.logID)
    let exists = StoreError.sharing(path: replica.store.path, reason: SharedLogError.exists)
    if standing.first.packet != nil { throw exists }
    if standing.last.packet == nil {
      switch try await append(packet, after: standing.last) {
      case .appended(let place), .duplicate(let place): return (place, packet)
      case .behind(let page): if let first = page.packets.first { return first }
      case .beforeFirst, .diverged: throw exists
      case .unknown: break
      }
    } else if case .packets(let page) = try await read(after: standing.first, limit: 1), let first = page.packets.first
    {
      return first
    }
    throw StoreError.unavailable(replica.store.path, "it did not give its first packet")
  }
}

extension StoreError {
  /// The shared log could not be reached in time.
  static func unavailable(_ path: String, _ reason: String) -> StoreError {
    .sharing(path: path, reason: SharedLogError.unavailable(reason: reason))
  }
}

extension Duration {
  /// At least 0 and at most an hour, which is longer than any save waits.
  fileprivate var nanoseconds: UInt64 {
    let bounded = min(max(self, .zero), .seconds(3_600)).components
    return UInt64(bounded.seconds) * 1_000_000_000 + UInt64(bounded.attoseconds / 1_000_000_000)
  }
}
