import RepriseSystem

/// Looks for the saves of other processes, as long as somebody wants to know of them.
package final class OtherProcesses: Sendable {
  private struct State {
    var interests = 0
    var watch: FileWatch?
  }

  private let state = Guarded(State())

  var isWatching: Bool { state.withLock { $0.watch != nil } }

  /// Somebody who wants to know, until it is released.
  package final class Interest: Sendable {
    private let others: OtherProcesses

    package init(_ store: Store) {
      others = store.others
      others.add(store)
    }

    deinit { others.remove() }
  }

  private func add(_ store: Store) {
    state.withLock { state in
      state.interests += 1
      if state.watch == nil {
        state.watch = FileWatch(of: store)
      }
    }
  }

  private func remove() {
    state.withLock { state in
      state.interests -= 1
      if state.interests == 0 { state.watch = nil }
    }
  }

  /// The store has its file by now.
  func begin(_ store: Store) {
    state.withLock { state in if state.watch != nil { state.watch = FileWatch(of: store) } }
  }

  /// The store is closed.
  func end() { state.withLock { $0.watch = nil } }
}

extension FileWatch {
  fileprivate convenience init?(of store: Store) {
    self.init(store.path + "/data.mdb") { [weak store] in store?.looksForSaves() ?? true }
  }
}

extension Store {
  /// Whether contexts, lists and feeds of this process follow what other processes save, within milliseconds, as they
  /// follow what this one does. Initially false: they see it with their next read, or after `refresh()`.
  ///
  /// The system tells of writes to the store's file; a thread waits for that, and nothing is looked for in vain. Where
  /// the system does not tell, as on a file system of a network, it looks once a second.
  public var followsOtherProcesses: Bool {
    get { interest.withLock { $0 != nil } }
    set {
      interest.withLock { interest in
        if newValue == (interest != nil) { return }
        interest = newValue ? OtherProcesses.Interest(self) : nil
      }
    }
  }

  /// Whether there were any. A save of this process, which others see before it does, is none.
  fileprivate func looksForSaves() -> Bool {
    if isClosed { return true }
    let known = head
    return (try? refreshedHead()) ?? known > known
  }
}
