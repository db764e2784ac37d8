import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Claims of drafts and scenes: at most one context or restoration has each, across all processes.
///
/// A claim is an advisory lock on bytes of the environment's file, far beyond its end. It writes nothing, and the
/// system releases it when the process ends for any reason. The number of bytes is the ID of the process. So one call
/// of the system finds out whether a topic is claimed, and the process that has it.
///
/// The system goes through all locks of a file for each claim. So a process with many claims takes them in other files
/// instead: see Claims+Files.swift.
package final class Claims: Sendable {
  private let path: String
  /// The folder of the files for many claims.
  let folder: String
  let isOnlyRead: Bool
  let forkGeneration = ForkGuard.current()
  private let state = Guarded(State())

  struct State: Sendable {
    var descriptor: Int32 = -1
    fileprivate(set) var claims: [Claim] = []
    /// The places in `claims`, by the first byte that a claim locks.
    fileprivate var places = HashIndex()
    /// The topics that were left.
    fileprivate var leaving: [JournalTopic] = []
    /// The files for many claims, as far as they are open. Empty while the claims are in the environment's file.
    var files: [Int32] = []
    /// From this number of claims on, they move to the files.
    var limit = Claims.few
  }

  // A class, because all arrays of objects share one type, which needs no instantiation at start-up.
  final class Claim: Sendable {
    let topic: JournalTopic
    /// Its owner has left it, but the journal has not written all its entries yet.
    fileprivate let isLeaving: Bool

    fileprivate init(_ topic: JournalTopic, isLeaving: Bool = false) {
      self.topic = topic
      self.isLeaving = isLeaving
    }
  }

  /// - Parameter isOnlyRead: Whether this process only asks for the claims of other processes.
  package init(path: String, folder: String, isOnlyRead: Bool = false) {
    self.path = path
    self.folder = folder
    self.isOnlyRead = isOnlyRead
  }

  deinit { close() }

  /// Claims a topic. False if it is claimed already, or if another topic with the same bytes is. Never waits.
  package func take(_ topic: JournalTopic) throws(SystemFailure) -> Bool {
    try state.withLock { state throws(SystemFailure) in
      if let place = Self.index(of: topic, state) {
        // The system would grant the bytes of another topic again, because this process has them.
        guard state.claims[place].topic == topic, state.claims[place].isLeaving else { return false }
        state.claims[place] = Claim(topic)
        state.leaving.removeAll { $0 == topic }
        return true
      }
      if isOnlyRead { throw SystemFailure(errno: EROFS) }
      guard opened(&state) != nil else { throw .last }
      guard try lock(topic, &state) else { return false }
      state.places.insert(Self.hash(topic), state.claims.count)
      state.claims.append(Claim(topic))
      return true
    }
  }

  /// Marks the claim as left by its owner. Other processes can take it after ``letGo()``.
  func leave(_ topic: JournalTopic) {
    state.withLock { state in
      guard let place = Self.index(of: topic, state), state.claims[place].topic == topic,
        !state.claims[place].isLeaving
      else { return }
      state.claims[place] = Claim(topic, isLeaving: true)
      state.leaving.append(topic)
    }
  }

  /// Releases the claims that were left.
  func letGo() {
    state.withLock { state in
      // A forked child shares the locks with its parent, which owns them.
      let isOwner = ForkGuard.generation.load(ordering: .relaxed) == forkGeneration
      for topic in state.leaving {
        if isOwner { unlock(topic, state) }
        Self.remove(topic, &state)
      }
      state.leaving = []
      if isOwner, state.claims.isEmpty, !state.files.isEmpty { leaveFiles(&state) }
    }
  }

  /// Whether there is a claim that was not left.
  var hasAny: Bool { state.withLock { $0.claims.count > $0.leaving.count } }

  /// Whether any claim was left and is not released yet.
  var hasLeaving: Bool { state.withLock { !$0.leaving.isEmpty } }

  /// Whether this process, or another, has claimed the topic, and the ID of the process.
  func isTaken(_ topic: JournalTopic) -> (here: Bool, elsewhere: Bool, process: Int32?) {
    state.withLock { state in
      if let place = Self.index(of: topic, state) {
        return state.claims[place].isLeaving ? (false, false, nil) : (true, false, OwnProcess.id)
      }
      guard let descriptor = opened(&state), let lock = lock(on: topic, state, descriptor) else {
        return (false, false, nil)
      }
      return (false, true, ByteLock.process(lock))
    }
  }

  /// Where the claim of the topic is, or of another topic with the same bytes. O(1).
  private static func index(of topic: JournalTopic, _ state: borrowing State) -> Int? {
    let first = place(of: topic)
    return state.places.place(hash(topic)) { place(of: state.claims[$0].topic) == first }
  }

  @inline(never)
  private static func remove(_ topic: JournalTopic, _ state: inout State) {
    guard let place = index(of: topic, state) else { return }
    let last = state.claims.count - 1
    state.places.remove(hash(topic), place)
    if place < last {
      state.places.move(hash(state.claims[last].topic), from: last, to: place)
      state.claims.swapAt(place, last)
    }
    state.claims.removeLast()
  }

  private static func hash(_ topic: JournalTopic) -> UInt64 { UInt64(place(of: topic) >> 22) }

  /// The claims of all processes, with two numbers for each. The second is the ID of the process, or 0 if it is
  /// unknown. Costs a few system calls for each claim.
  func all() -> [Int] {
    state.withLock { state in
      guard let descriptor = opened(&state) else { return [] }
      let own = state.claims.map { ByteLock.places(from: Self.place(of: $0.topic)) }
      var numbers: [Int] = []
      for lock in own + others(state, descriptor) {
        numbers.append(Int(lock.lowerBound))
        numbers.append(Int(ByteLock.process(lock) ?? 0))
      }
      return numbers
    }
  }

  private func opened(_ state: inout State) -> Int32? {
    if state.descriptor < 0 { state.descriptor = open(path, (isOnlyRead ? O_RDONLY : O_RDWR) | O_CLOEXEC) }
    return state.descriptor < 0 ? nil : state.descriptor
  }

  package func close() {
    state.withLock { state in
      close(state.files)
      if state.descriptor >= 0 { ByteLock.close(state.descriptor, openedIn: forkGeneration) }
      state = State()
    }
  }

  /// The first byte to lock. Drafts start at 2⁶² and scenes at 2⁶² + 2⁶¹, and 2²² times 39 bits of the hash are added.
  static func place(of topic: JournalTopic) -> off_t {
    let hash = topic.hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let first: UInt64 = if topic.isDraft { 1 << 62 } else { 1 << 62 | 1 << 61 }
    return off_t(first | (hash >> 25) << 22)
  }

  /// The bytes of all drafts and scenes.
  static var area: Range<off_t> { 1 << 62..<off_t.max }
}
