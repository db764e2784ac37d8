import RepriseLMDB
import RepriseSystem
import RepriseObjectModel
import Synchronization

/// What changed since the oldest position that a live context answers for: how a context reads at its own position
/// while the head has moved on, without holding an LMDB read transaction open.
///
/// One per store, shared by all its contexts: memory grows with the changes since the oldest live position, not with
/// the number of contexts. It is extended by whoever first sees a new head, from the log itself.
package final class VersionWindow: Sendable {
  /// One transaction's change of one object, as it can be taken back.
  package struct Version: Sendable {
    package let position: UInt64
    package let change: WindowChange
  }

  /// A transaction, as the window needs it.
  package struct Transaction: Sendable {
    package let position: UInt64
    package let changes: [(object: AnyObjectID, change: WindowChange)]
  }

  private struct State {
    var head: UInt64
    /// The LMDB transaction after which the log's head was `head`.
    var transactionID: Int
    /// Versions exist for every position above this one.
    var floor: UInt64
    /// Of the first ``indexed`` transactions: most are let go of before anybody asks for an object's versions.
    var versions: [AnyObjectID: [Version]] = [:]
    /// By ascending position.
    var transactions: [Transaction] = []
    var indexed = 0
    /// How many contexts answer for a position.
    var pins = Pins()
  }

  private let state: Guarded<State>
  // Of `state`, for readers without the lock. The transaction is `none` while the two do not belong together.
  private let seenHead: Atomic<UInt64>
  private let seenTransaction: Atomic<Int>
  private static let none = -1

  package init(head: UInt64, transactionID: Int) {
    state = Guarded(State(head: head, transactionID: transactionID, floor: head))
    seenHead = Atomic(head)
    seenTransaction = Atomic(transactionID)
  }

  package var head: UInt64 { state.withLock { $0.head } }

  // MARK: Pins

  /// Keeps what is needed to answer for the head, until ``unpin(_:)``.
  package func pin() -> UInt64 {
    state.withLock { state in
      state.pins.add(state.head)
      return state.head
    }
  }

  /// One more pin at a position that is pinned already.
  package func pin(at position: UInt64) -> UInt64 {
    state.withLock { $0.pins.add(position) }
    return position
  }

  package func unpin(_ position: UInt64) {
    state.withLock { state in
      state.pins.remove(position)
      Self.trim(&state)
    }
  }

  package func movePin(from old: UInt64, to new: UInt64) {
    state.withLock { state in
      state.pins.add(new)
      state.pins.remove(old)
      Self.trim(&state)
    }
  }

  private static func trim(_ state: inout State) {
    let floor = state.pins.lowest ?? state.head
    guard floor > state.floor else { return }
    state.floor = floor
    let stale = state.transactions.prefix { $0.position <= floor }
    guard !stale.isEmpty else { return }
    if stale.count >= state.indexed {
      state.versions.removeAll()
    } else {
      for transaction in stale {
        for (object, _) in transaction.changes {
          state.versions[object]?.removeAll { $0.position <= floor }
          if state.versions[object]?.isEmpty == true { state.versions[object] = nil }
        }
      }
    }
    state.indexed = max(0, state.indexed - stale.count)
    state.transactions.removeFirst(stale.count)
  }

  private static func index(_ state: inout State) {
    for transaction in state.transactions[state.indexed...] {
      for (object, change) in transaction.changes {
        state.versions[object, default: []].append(Version(position: transaction.position, change: change))
      }
    }
    state.indexed = state.transactions.count
  }

  // MARK: Extending

  /// How a read transaction stands to the window.
  package enum Standing: Sendable {
    /// It sees the head that the window knows.
    case current(head: UInt64)
    /// It began before the last commit that the window knows: take a new one.
    case stale
    /// It may see more: read the log after `head`, and extend.
    case ahead(head: UInt64)
  }

  package func standing(of transactionID: Int) -> Standing {
    if seenTransaction.load(ordering: .acquiring) == transactionID {
      let head = seenHead.load(ordering: .acquiring)
      // Whoever changes the head changes the transaction first, so this one would be another if the head were.
      if seenTransaction.load(ordering: .acquiring) == transactionID { return .current(head: head) }
    }
    return state.withLock { state in
      if transactionID == state.transactionID { return .current(head: state.head) }
      return transactionID < state.transactionID ? .stale : .ahead(head: state.head)
    }
  }

  /// Adds transactions in the order of the log; those that it has already are passed over. If some are missing before
  /// the first (another process saved in between), nothing is added: the next read finds them all in the log.
  package func extend(with transactions: [Transaction], transactionID: Int) {
    state.withLock { state in
      if let first = transactions.first, first.position > state.head + 1 { return }
      for transaction in transactions where transaction.position > state.head {
        if !state.pins.isEmpty { state.transactions.append(transaction) }
        state.head = transaction.position
      }
      state.transactionID = max(state.transactionID, transactionID)
      seenTransaction.store(Self.none, ordering: .releasing)
      seenHead.store(state.head, ordering: .releasing)
      seenTransaction.store(state.transactionID, ordering: .releasing)
      if state.pins.isEmpty { state.floor = state.head }
    }
  }

  // MARK: Reading

  /// What happened to an object after `position`, up to `head`, the latest first.
  package func versions(of object: AnyObjectID, after position: UInt64, upTo head: UInt64) -> [Version] {
    guard position < head else { return [] }
    return state.withLock { state in
      Self.index(&state)
      return (state.versions[object] ?? []).reversed().filter { $0.position > position && $0.position <= head }
    }
  }

  /// The objects that changed after `position`, up to `head`: each as often as it did.
  package func changedObjects(after position: UInt64, upTo head: UInt64) -> [AnyObjectID] {
    guard position < head else { return [] }
    return state.withLock { state in
      var objects: [AnyObjectID] = []
      for transaction in state.transactions where transaction.position > position && transaction.position <= head {
        objects += transaction.changes.lazy.map(\.object)
      }
      return objects
    }
  }

  /// How many versions are kept: for statistics and tests.
  package var count: Int { state.withLock { $0.transactions.reduce(0) { $0 + $1.changes.count } } }
}

/// How many contexts answer for each position. Most are at the head, so there are few positions.
private struct Pins {
  private struct Pin {
    let position: UInt64
    var count: Int
  }

  /// By ascending position.
  private var counts: [Pin] = []

  var isEmpty: Bool { counts.isEmpty }
  var lowest: UInt64? { counts.first?.position }

  mutating func add(_ position: UInt64) {
    let index = counts.partitionPoint { $0.position >= position }
    if index < counts.count && counts[index].position == position {
      counts[index].count += 1
    } else {
      counts.insert(Pin(position: position, count: 1), at: index)
    }
  }

  mutating func remove(_ position: UInt64) {
    let index = counts.partitionPoint { $0.position >= position }
    guard index < counts.count && counts[index].position == position else { return }
    counts[index].count -= 1
    if counts[index].count == 0 { counts.remove(at: index) }
  }
}
