import CRepriseLMDB
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Environment {
  /// Tracks the live transactions of this process. LMDB does not check for them: resizing the map or closing with one
  /// live is undefined.
  struct Gate: ~Copyable {
    var pooled: [Handle] = []
    /// Transactions of this process between begin and end, the writer's included.
    var live = 0
    var opens = 1
    /// Threads that wait for `live` to be 0, to resize the map.
    var resizers = 0
    var state = State.open
    var isShutDown = false
    /// The content of the last commit that this process has seen.
    var seen = CommitMark.none

    static let poolLimit = 32
  }

  enum State: Sendable {
    case open
    case closed
    /// LMDB failed in a way that only closing and reopening cures.
    case panicked
  }

  private enum Entrance: Sendable {
    case inside(Handle?, CommitMark)
    case refused(State)
    case wait
  }

  /// Counts a transaction in, with a pooled one for readers. A waiting resizer goes first, but only briefly: a thread
  /// that holds one transaction and wants another must not wait for itself.
  ///
  /// - Returns: The pooled transaction, and the content that was seen last, for ``hasContent(of:_:_:)``.
  func enter(
    _ operation: StorageError.Operation, takesPooled: Bool
  ) throws(StorageError) -> (pooled: Handle?, seen: CommitMark) {
    if ForkGuard.generation.load(ordering: .relaxed) != forkGeneration { throw .forked(site(operation)) }
    var courtesy = Backoff(milliseconds: 10)
    var mayWait = true
    while true {
      let entrance: Entrance = gate.withLock { gate in
        if gate.state != .open { return .refused(gate.state) }
        if gate.resizers > 0 && mayWait { return .wait }
        gate.live += 1
        return .inside(takesPooled ? gate.pooled.popLast() : nil, gate.seen)
      }
      switch entrance {
      case .inside(let handle, let seen): return (handle, seen)
      case .refused(.panicked): throw .panic(site(operation))
      case .refused: throw .closed(site(operation))
      case .wait: mayWait = courtesy.wait()
      }
    }
  }

  /// Counts a transaction out. The last one out completes a pending close.
  func leave() {
    let finishes: Bool = gate.withLock { gate in
      gate.live -= 1
      return gate.state == .closed && gate.live == 0
    }
    if finishes { shutDown() }
  }

  func panicked() {
    gate.withLock { gate in
      if gate.state == .open { gate.state = .panicked }
    }
  }

  /// Makes it possible to begin a transaction again, after LMDB could not begin it. Throws if this does not help.
  func prepareRepetition(
    after code: Int32, _ resizes: inout Backoff, _ operation: StorageError.Operation
  ) throws(StorageError) {
    switch code {
    case MDB_MAP_RESIZED:
      // Another thread may have adopted the new size while this one waited, so a blocked attempt is repeated.
      if !resizes.wait() { throw .mapResized(site(operation)) }
      try resizeMap(to: 0, operation)
    case MDB_PANIC:
      panicked()
      throw .panic(site(operation))
    default: throw StorageError(code: code, operation, path: directory)
    }
  }

  /// Resizes the map when no transaction of this process is live. 0 adopts the size that another process gave it. The
  /// caller must not be counted in.
  func resizeMap(to size: Int, _ operation: StorageError.Operation) throws(StorageError) {
    var backoff = Backoff(milliseconds: options.resizeTimeout)
    gate.withLock { $0.resizers += 1 }
    defer { gate.withLock { $0.resizers -= 1 } }
    while true {
      let step: ResizeStep = gate.withLock { gate in
        // Closed or panicked meanwhile: the next begin reports it.
        if gate.state != .open { return .done(MDB_SUCCESS) }
        if gate.live > 0 { return .blocked(gate.live) }
        mappedFile?.forgetStart()
        let code = mdb_env_set_mapsize(handle.pointer, size)
        // The old map is gone and there is no new one: nothing may use this environment any more.
        if code != MDB_SUCCESS { gate.state = .panicked }
        return .done(code)
      }
      switch step {
      case .done(MDB_SUCCESS):
        counters.count(.mapResize)
        return
      case .done(let code): throw StorageError(code: code, .setMapSize, path: directory)
      case .blocked(let live):
        if !backoff.wait() { throw .mapGrowthBlocked(liveTransactions: live, site(operation)) }
      }
    }
  }

  private enum ResizeStep: Sendable {
    case done(Int32)
    case blocked(Int)
  }
}
