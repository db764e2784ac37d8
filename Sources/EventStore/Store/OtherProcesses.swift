import RepriseLog
import RepriseSystem
import Synchronization

/// Looks for the saves of other processes, as long as something in this process follows them.
package final class OtherProcesses: Sendable {
  private struct State {
    /// The number of feeds and similar followers.
    var interests = 0
    /// Whether a context has followed the head since the store was opened.
    var hasFollower = false
    var isAllowed = true
    var watch: FileWatch?

    var isWanted: Bool { interests > 0 || hasFollower && isAllowed }
  }

  private let state = Guarded(State())
  /// The number of commits of this process at the last look, and whether the next look is for other processes.
  private let ownCommits = Atomic<Int>(0)
  private let isLookDue = Atomic<Bool>(false)

  var isWatching: Bool { state.withLock { $0.watch != nil } }
  var isAllowed: Bool { state.withLock { $0.isAllowed } }
  /// Whether a context has followed the head since the store was opened.
  package var hasFollower: Bool { state.withLock { $0.hasFollower } }

  /// Keeps the watch running until it is released.
  package final class Interest: Sendable {
    private let others: OtherProcesses

    package init(_ store: Store) {
      others = store.others
      others.change(store) { $0.interests += 1 }
    }

    deinit { others.remove() }
  }

  /// A context follows the head. The call starts a thread, so make it after the turn that made the context.
  package func follow(_ store: Store) { change(store) { $0.hasFollower = true } }

  func allow(_ isAllowed: Bool, _ store: Store) { change(store) { $0.isAllowed = isAllowed } }

  private func change(_ store: Store, _ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      if !state.isWanted {
        state.watch = nil
      } else if state.watch == nil, !store.isClosed {
        state.watch = FileWatch(of: store)
      }
    }
  }

  private func remove() {
    state.withLock { state in
      state.interests -= 1
      if !state.isWanted { state.watch = nil }
    }
  }

  /// The store has its file from now on.
  func begin(_ store: Store) {
    state.withLock { state in if state.watch != nil { state.watch = FileWatch(of: store) } }
  }

  /// The store is closed from now on.
  func end() {
    state.withLock { state in
      state.watch = nil
      state.hasFollower = false
    }
  }

  /// Looks for saves of other processes. A later look finds a save that comes together with saves of this process.
  fileprivate func look(_ store: Store) -> FileWatch.Finding {
    if store.isClosed { return .found }
    let commits = store.environment.counters[.commit]
    let isOwn = ownCommits.exchange(commits, ordering: .relaxed) != commits
    // If this process commits continuously, every second look looks for saves of other processes.
    if isOwn, !isLookDue.exchange(true, ordering: .relaxed) { return .own }
    isLookDue.store(false, ordering: .relaxed)
    let known = store.window.head
    let isFound = (try? store.refreshedHead()) ?? known > known
    return isOwn ? .own : isFound ? .found : .nothing
  }
}

extension FileWatch {
  fileprivate convenience init?(of store: Store) {
    self.init(store.path + "/data.mdb") { [weak store] in store.map { $0.others.look($0) } ?? .found }
  }
}

extension Store {
  /// Whether contexts and lists of this process follow the saves of other processes, as they follow the saves of this
  /// process. Initially true.
  ///
  /// If true, a context that follows the head (``RootContext/followsHead``) moves within milliseconds of a save by
  /// another process. While this process saves, too, it moves within a tenth of a second. If false, the context moves
  /// when a read by this process notices the save, or with ``RootContext/refresh()``. A
  /// ``TransactionLog/feed(after:matching:)`` follows in either case.
  ///
  /// The system reports writes to the store's file. One thread of the process waits for these reports, for all stores.
  /// The thread starts after the turn that made the first following context. It adds no cost to the saves of this
  /// process. If the system does not report writes to the file, the thread looks once a second.
  public var followsOtherProcesses: Bool {
    get { others.isAllowed }
    set { others.allow(newValue, self) }
  }
}
