import RepriseLMDB
import RepriseSystem
import RepriseObjectModel
import Synchronization

/// The changes since the oldest pinned position. With them, a context reads at its own position after the head has
/// moved on, without holding an LMDB read transaction open.
///
/// All contexts of a store share one window. Memory grows with the changes since the oldest pinned position and not
/// with the number of contexts, up to a budget. Beyond the budget, the oldest transactions are **spilled**: dropped
/// from memory, and read from the log when needed (``PastReader``). The first reader of a new head extends the window
/// from the log.
package final class VersionWindow: Sendable {
  /// One transaction's change of one object.
  package struct Version: Sendable {
    package let position: Position
    /// The body of its ``Change``.
    let body: ArraySlice<UInt8>
  }

  /// A transaction in the window: its frame, and the offsets of the changes to objects in it.
  package struct Transaction: Sendable {
    package typealias Place = (object: AnyObjectID, body: Range<Int>)

    package let position: Position
    private let frame: [UInt8]
    /// Where the events begin in the frame. The places count from there.
    private let start: Int
    private let places: [Place]

    package init(position: Position, frame: [UInt8], events start: Int, _ places: [Place]) {
      self.position = position
      self.frame = frame
      self.start = start
      self.places = places
    }

    /// The approximate size in bytes of memory, including each object's ID and its entry among the versions.
    package var size: Int { frame.count + 200 * places.count }

    var objects: some Collection<AnyObjectID> { places.lazy.map(\.object) }

    var changes: some Sequence<(object: AnyObjectID, body: ArraySlice<UInt8>)> {
      places.lazy.map { ($0.object, frame[start + $0.body.lowerBound..<start + $0.body.upperBound]) }
    }
  }

  private struct State {
    var head: Position
    /// The LMDB transaction after which the head of the log was `head`.
    var transactionID: Int
    /// The oldest pinned position, or the head if there is no pin: reads from there on are possible.
    var floor: Position
    /// Versions up to this position are only in the log.
    var spilled: Position
    /// The versions of each object, for the first ``indexed`` transactions only. Most transactions leave the window
    /// before any object's versions are read.
    var versions: [AnyObjectID: [Version]] = [:]
    /// By ascending position.
    var transactions: [Transaction] = []
    var indexed = 0
    /// The total size of `transactions` in bytes.
    var size = 0
    /// The pinned positions.
    var pins = Pins()
  }

  /// How many bytes of changes the window keeps in memory, not counting the overhead of its tables.
  package let budget: Int
  /// The head when the store was opened.
  package let start: Position
  private let state: Guarded<State>
  // Copies from `state` for lock-free readers. The transaction is `none` while the two are out of step.
  private let seenHead: Atomic<UInt64>
  private let seenTransaction: Atomic<Int>
  private static let none = -1

  package init(head: Position, transactionID: Int, budget: Int) {
    self.budget = budget
    start = head
    state = Guarded(State(head: head, transactionID: transactionID, floor: head, spilled: head))
    seenHead = Atomic(head.number)
    seenTransaction = Atomic(transactionID)
  }

  package var head: Position { state.withLock { $0.head } }

  // MARK: Pins

  /// The lowest pinned position. `nil` if there is no pin.
  package var lowestPin: Position? { state.withLock { $0.pins.lowest } }

  /// Pins the head: keeps it readable until ``unpin(_:)``.
  package func pin() -> Position {
    state.withLock { state in
      state.pins.add(state.head)
      return state.head
    }
  }

  /// Adds a pin at a position that is already pinned, or that is read from the log. Transactions that have left the
  /// window stay out, but no further ones leave.
  package func pin(at position: Position) -> Position {
    state.withLock { $0.pins.add(position) }
    return position
  }

  package func unpin(_ position: Position) {
    state.withLock { state in
      state.pins.remove(position)
      Self.trim(&state)
    }
  }

  package func movePin(from old: Position, to new: Position) {
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
    letGo(of: state.transactions.prefix { $0.position <= floor }.count, &state)
  }

  /// Drops the oldest transactions.
  private static func letGo(of count: Int, _ state: inout State) {
    guard count > 0 else { return }
    let stale = state.transactions.prefix(count)
    let last = state.transactions[count - 1].position
    if count >= state.indexed {
      state.versions.removeAll()
    } else {
      for transaction in stale {
        for object in transaction.objects {
          state.versions[object]?.removeAll { $0.position <= last }
          if state.versions[object]?.isEmpty == true { state.versions[object] = nil }
        }
      }
    }
    state.spilled = max(state.spilled, last)
    state.size -= stale.reduce(0) { $0 + $1.size }
    state.indexed = max(0, state.indexed - count)
    state.transactions.removeFirst(count)
  }

  private static func spill(beyond budget: Int, _ state: inout State) {
    var excess = state.size - budget
    var count = 0
    while excess > 0, count < state.transactions.count {
      excess -= state.transactions[count].size
      count += 1
    }
    letGo(of: count, &state)
  }

  private static func index(_ state: inout State) {
    for transaction in state.transactions[state.indexed...] {
      for (object, body) in transaction.changes {
        state.versions[object, default: []].append(Version(position: transaction.position, body: body))
      }
    }
    state.indexed = state.transactions.count
  }

  // MARK: Extending

  /// How a read transaction compares to the window.
  package enum Standing: Sendable {
    /// It sees the window's head.
    case current(head: Position)
    /// It began before the window's last commit: take a new one.
    case stale
    /// It may see later transactions: read the log after `head`, and extend the window.
    case ahead(head: Position)
  }

  package func standing(of transactionID: Int) -> Standing {
    if seenTransaction.load(ordering: .acquiring) == transactionID {
      let head = Position(seenHead.load(ordering: .acquiring))
      // A writer changes the transaction before the head, so an unchanged transaction means an unchanged head.
      if seenTransaction.load(ordering: .acquiring) == transactionID { return .current(head: head) }
    }
    return state.withLock { state in
      if transactionID == state.transactionID { return .current(head: state.head) }
      return transactionID < state.transactionID ? .stale : .ahead(head: state.head)
    }
  }

  /// Adds transactions in log order, except transactions that the window has already. If transactions before the first
  /// are missing, because another process saved in between, the call adds none. Then the next read finds them all in
  /// the log.
  ///
  /// - Parameter spilled: Transactions from the window's head up to this position are too large to keep, and left to
  ///   the log.
  package func extend(with transactions: [Transaction], spilledUpTo spilled: Position = 0, transactionID: Int) {
    state.withLock { state in
      if let first = transactions.first, first.position > max(state.head, spilled) + 1 { return }
      if spilled > state.head {
        Self.letGo(of: state.transactions.count, &state)
        (state.head, state.spilled) = (spilled, spilled)
      }
      for transaction in transactions where transaction.position > state.head {
        if !state.pins.isEmpty {
          state.transactions.append(transaction)
          state.size += transaction.size
        }
        state.head = transaction.position
      }
      Self.spill(beyond: budget, &state)
      state.transactionID = max(state.transactionID, transactionID)
      seenTransaction.store(Self.none, ordering: .releasing)
      seenHead.store(state.head.number, ordering: .releasing)
      seenTransaction.store(state.transactionID, ordering: .releasing)
      if state.pins.isEmpty { (state.floor, state.spilled) = (state.head, state.head) }
    }
  }

  // MARK: Reading

  /// An object's versions after `position` up to `head`, latest first. Also returns the position up to which older ones
  /// must be read from the log. It equals `position` if there are none.
  package func versions(
    of object: AnyObjectID, after position: Position, upTo head: Position
  ) -> (versions: [Version], spilled: Position) {
    guard position < head else { return ([], position) }
    return state.withLock { state in
      Self.index(&state)
      let kept = (state.versions[object] ?? []).reversed().filter { $0.position > position && $0.position <= head }
      return (kept, min(head, max(position, state.spilled)))
    }
  }

  /// The objects that changed after `position` up to `head`, once for each change. Also returns the position up to
  /// which more must be read from the log. It equals `position` if there are none.
  package func changedObjects(
    after position: Position, upTo head: Position
  ) -> (objects: [AnyObjectID], spilled: Position) {
    guard position < head else { return ([], position) }
    return state.withLock { state in
      var objects: [AnyObjectID] = []
      for transaction in state.transactions where transaction.position > position && transaction.position <= head {
        objects += transaction.objects
      }
      return (objects, min(head, max(position, state.spilled)))
    }
  }

  /// Whether changes after `position` up to `head` must be read from the log.
  package func hasSpilled(after position: Position, upTo head: Position) -> Bool {
    position < head && state.withLock { $0.spilled > position }
  }

  /// The number of versions in memory, for statistics and tests.
  package var count: Int { state.withLock { $0.transactions.reduce(0) { $0 + $1.objects.count } } }

  /// The approximate size of the versions in memory, in bytes.
  package var size: Int { state.withLock { $0.size } }
}

/// The number of pins at each position. Most are at the head, so there are few positions.
private struct Pins {
  private struct Pin {
    let position: Position
    var count: Int
  }

  /// By ascending position.
  private var counts: [Pin] = []

  var isEmpty: Bool { counts.isEmpty }
  var lowest: Position? { counts.first?.position }

  mutating func add(_ position: Position) {
    let index = counts.partitionPoint { $0.position >= position }
    if index < counts.count && counts[index].position == position {
      counts[index].count += 1
    } else {
      counts.insert(Pin(position: position, count: 1), at: index)
    }
  }

  mutating func remove(_ position: Position) {
    let index = counts.partitionPoint { $0.position >= position }
    guard index < counts.count && counts[index].position == position else { return }
    counts[index].count -= 1
    if counts[index].count == 0 { counts.remove(at: index) }
  }
}
