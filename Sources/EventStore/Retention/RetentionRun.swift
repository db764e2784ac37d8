import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem
import Synchronization

/// One call of ``TransactionLog/retain(_:progress:)``. It finds the floor, proves the state that will depend on it,
/// moves the floor in one commit, and removes the transactions below.
final class RetentionRun: Sendable {
  private let store: Store
  private let retention: Retention
  private let progress: (@Sendable (Double) -> Void)?
  private let clock = WakeUp()
  private let isCancelled = Atomic<Bool>(false)
  /// The pause between two commits, in nanoseconds. Saves commit in it.
  private static let pause: UInt64 = 1_000_000

  init(_ store: Store, _ retention: Retention, _ progress: (@Sendable (Double) -> Void)?) {
    (self.store, self.retention, self.progress) = (store, retention, progress)
  }

  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    clock.wake()
  }

  private var goesOn: Bool { !isCancelled.load(ordering: .relaxed) && !store.isClosed }

  /// `nil` if the call was cancelled.
  func run() throws(StoreError) -> RetentionReport? {
    if store.environment.isForked { throw .forked(path: store.path) }
    var report: RetentionReport?
    while report == nil, goesOn {
      let plan = try plan()
      if plan.target > plan.floor {
        // Meanwhile another process may start to need the transactions, or drop them.
        guard let base = try base(of: plan), try move(base, plan) else { continue }
      }
      report = RetentionReport(
        firstPosition: plan.target, droppedTransactions: plan.floor.distance(to: plan.target),
        blockedBy: plan.blockers)
    }
    if store.isClosed { throw .closed(path: store.path) }
    guard let report, try clean() else { return nil }
    progress?(1)
    return report
  }

  // MARK: The floor

  private struct Plan {
    let floor: Position
    var target: Position
    var blockers: [RetentionReport.Blocker] = []
  }

  private func plan() throws(StoreError) -> Plan {
    store.pinned.release(head: store.window.head, exactly: true) { [store] in store.window.lowestPin }
    var plan = try store.read { (view, head) throws(StorageError) in
      let floor = try MetaTable(store.tables.meta).firstPosition(view)
      let asked = try target(from: floor, head, view)
      return Plan(floor: floor, target: max(floor, asked.floor), blockers: asked.clock.map { [$0] } ?? [])
    }
    let wanted = plan.target
    let blockers = try StoreError.converting { () throws(StorageError) in
      try store.environment.write { (transaction) throws(StorageError) in
        try self.pins(before: wanted) + self.marks(before: wanted, transaction)
      }
    }
    plan.blockers = blockers + plan.blockers
    for blocker in blockers { plan.target = min(plan.target, blocker.position + 1) }
    plan.target = max(plan.target, plan.floor)
    return plan
  }

  /// The floor that the rule asks for, and the clock errors that keep it lower.
  private func target(
    from floor: Position, _ head: Position, _ view: View
  ) throws(StorageError) -> (floor: Position, clock: RetentionReport.Blocker?) {
    guard head > 0 else { return (floor, nil) }
    switch retention.rule {
    case .from(let position): return (min(head, position), nil)
    case .last(let count): return (Position(head.number - min(head.number - 1, UInt64(count) - 1)), nil)
    case .age(let microseconds):
      guard floor <= head else { return (floor, nil) }
      let now = store.wallClock()
      let (limit, isBeyond) = now.subtractingReportingOverflow(microseconds)
      return try target(from: floor, head, before: isBeyond ? .min : limit, now: now, view)
    }
  }

  private func target(
    from floor: Position, _ head: Position, before limit: Int64, now: Int64, _ view: View
  ) throws(StorageError) -> (floor: Position, clock: RetentionReport.Blocker?) {
    let times = try store.log.times(in: floor...head, now: now, view)
    let last = try times.lastPosition(surelyBefore: limit, view)
    let isHeld = try times.isHeld(after: last, before: limit, view)
    return (last.map { min(head, $0 + 1) } ?? floor, isHeld ? RetentionReport.Blocker.clock(last ?? floor - 1) : nil)
  }

  /// The context or list at the lowest pinned position that needs transactions before `target`.
  private func pins(before target: Position) throws(StorageError) -> [RetentionReport.Blocker] {
    try lockingFile { () throws(SystemFailure) in
      let first = try PinnedPositions.first(before: target - 1, path: store.path + "/data.mdb")
      return first.map { [.context($0)] } ?? []
    }
  }

  /// If the file cannot be locked, it is unknown which positions are needed, so nothing is dropped.
  private func lockingFile<Success>(
    _ body: () throws(SystemFailure) -> Success
  ) throws(StorageError) -> Success {
    do throws(SystemFailure) { return try body() } catch {
      throw .system(errno: error.errno, StorageError.Site(.lockFile, store.path))
    }
  }

  /// Indexes, projections and remote sources whose recorded progress is before a position.
  private func marks(
    before target: Position, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) -> [RetentionReport.Blocker] {
    var blockers: [RetentionReport.Blocker] = []
    for build in try MetaTable(store.tables.meta).indexBuilds(transaction.view).values where !build.isClearing {
      blockers.append(.index(build.mark.position))
    }
    let projections = try ProjectionTable(store.tables, transaction.view).states(transaction.view)
    for (name, state) in projections.sorted(by: { $0.key < $1.key }) {
      blockers.append(.projection(name: name, state.position))
    }
    for mark in try StoredMark.all(store.tables, transaction.view) {
      blockers.append(.remoteSource(name: mark.source, mark.position))
    }
    return blockers.filter { $0.position + 1 < target }
  }

  // MARK: The proof

  /// The state that depends on the new floor: the hash chain and the metadata up to it, and the digest of the objects
  /// before it. `nil` if the call was cancelled, or the floor has moved meanwhile.
  private func base(of plan: Plan) throws(StoreError) -> LogFloor? {
    try store.read { (view, head) throws(StorageError) in
      let meta = MetaTable(store.tables.meta)
      let old = try meta.floor(view)
      guard old?.position ?? 1 == plan.floor else { return nil }
      var (fold, hash) = (MetaFold(from: old), old?.record.hash ?? .zero)
      for position in plan.floor..<plan.target {
        if position.number % 64 == 0, !goesOn { return nil }
        try store.files.log.withFrame(position, view) { (frame) throws(MalformedBytes) in
          guard try frame.verifyHash(logID: store.logID, previousHash: hash) else {
            throw MalformedBytes("a hash that matches this transaction and the previous one", at: 0)
          }
          hash = frame.hash
          try fold.add(frame)
        }
      }
      progress?(0.2)
      let state = BaseState(log: store.files.log, objects: store.files.objects, floor: plan.target, head: head)
      guard let found = try state.findings(view, log: view, step: { self.goesOn }) else { return nil }
      if let problem = found.problems.first { throw store.tables.objects.damaged([], problem.text) }
      progress?(0.6)
      let policy: CompactionRecord.Policy =
        if case .age(let age) = retention.rule { .age(UInt64(age)) } else { .position(plan.target) }
      let record = CompactionRecord(floor: plan.target, hash: hash, base: found.digest, policy: policy)
      guard let floor = try fold.floor(record, meta, view) else {
        throw store.tables.log.damaged([], "no transaction of the log has the ID of this copy of the log")
      }
      return floor
    }
  }

  /// Moves the floor in a commit. False if something still needs the transactions below.
  private func move(_ base: LogFloor, _ plan: Plan) throws(StoreError) -> Bool {
    try StoreError.converting { () throws(StorageError) in
      let moved = try lockingFile { () throws(SystemFailure) in
        try PinnedPositions.whileFree(before: plan.target - 1, path: store.path + "/data.mdb") {
          () throws(StorageError) in
          try store.environment.write { (transaction) throws(StorageError) in
            let meta = MetaTable(store.tables.meta)
            guard try meta.firstPosition(transaction.view) == plan.floor,
              try self.marks(before: plan.target, transaction).isEmpty
            else { return false }
            try meta.put(base, transaction)
            return true
          }
        }
      }
      return try moved?.get() ?? false
    }
  }

  // MARK: Rows before the floor

  /// False if the call was cancelled.
  private func clean() throws(StoreError) -> Bool {
    var truncation = LogTruncation(store.environment, store.tables)
    var first: Position?
    while goesOn {
      let left = try StoreError.converting { () throws(StorageError) in try truncation.step() }
      guard let left else { break }
      first = first ?? left.first
      let (done, all) = ((first ?? 0).distance(to: left.first), (first ?? 0).distance(to: left.floor))
      progress?(0.6 + 0.4 * Double(done) / Double(max(1, all)))
      clock.wait(until: WakeUp.now() + Self.pause)
    }
    var blobs = BlobCleaning(store.path, store.environment, store.tables, store.blobClaims)
    while goesOn, try blobs.step() { clock.wait(until: WakeUp.now() + Self.pause) }
    return goesOn
  }
}
