import RepriseLog
import RepriseSystem
import Synchronization

/// Looks for the saves of other processes, as long as somebody wants to know of them.
package final class OtherProcesses: Sendable {
  private struct State {
    /// Feeds and the like.
    var interests = 0
    /// Whether a context has followed the head since the store was opened.
    var hasFollower = false
    var isAllowed = true
    var watch: FileWatch?

    var isWanted: Bool { interests > 0 || hasFollower && isAllowed }
  }

  private let state = Guarded(State())
  /// How many commits of this process were known to the last look, and whether that looked for no others.
  private let ownCommits = Atomic<Int>(0)
  private let isLookDue = Atomic<Bool>(false)

  var isWatching: Bool { state.withLock { $0.watch != nil } }
  var isAllowed: Bool { state.withLock { $0.isAllowed } }
  /// Whether a context has followed the head since the store was opened.
  package var hasFollower: Bool { state.withLock { $0.hasFollower } }

  /// Somebody who wants to know, until it is released.
  package final class Interest: Sendable {
    private let others: OtherProcesses

    package init(_ store: Store) {
      others = store.others
      others.change(store) { $0.interests += 1 }
    }

    deinit { others.remove() }
  }

  /// A context follows the head. It starts a thread, so call it after the turn in which the context was made.
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

  /// The store has its file by now.
  func begin(_ store: Store) {
    state.withLock { state in if state.watch != nil { state.watch = FileWatch(of: store) } }
  }

  /// The store is closed.
  func end() {
    state.withLock { state in
      state.watch = nil
      state.hasFollower = false
    }
  }

  /// Whether there were saves of other processes. One that comes with saves of this process is found by a later look.
  fileprivate func look(_ store: Store) -> FileWatch.Finding {
    if store.isClosed { return .found }
    let commits = store.environment.counters[.commit]
    let isOwn = ownCommits.exchange(commits, ordering: .relaxed) != commits
    // If this process commits all the time, each second look is for the saves of other processes.
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
  /// Whether contexts and lists of this process follow what other processes save, as they follow what this one does.
  /// Initially true: a context that follows the head (``RootContext/followsHead``) moves within milliseconds, or within
  /// a tenth of a second while this process saves as well. False: it moves with the next read of the store, or with
  /// ``RootContext/refresh()``.
  ///
  /// The system tells of writes to the store's file. One thread of the process waits for that, for all its stores, from
  /// after the turn in which the first context was made that follows. Saves of this process cost nothing more. Where
  /// the system does not tell, the thread looks once a second. A ``TransactionLog/feed(after:matching:)`` follows in
  /// any case.
  public var followsOtherProcesses: Bool {
    get { others.isAllowed }
    set { others.allow(newValue, self) }
  }
}
