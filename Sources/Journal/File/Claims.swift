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
package final class Claims: Sendable {
  private let path: String
  private let isOnlyRead: Bool
  private let forkGeneration = ForkGuard.current()
  private let state = Guarded(State())

  private struct State: Sendable {
    var descriptor: Int32 = -1
    var claims: [Claim] = []
    /// The places in `claims`, by the first byte that a claim locks.
    var places = HashIndex()
    /// The topics that were left.
    var leaving: [JournalTopic] = []
  }

  // A class, because all arrays of objects share one type, which needs no instantiation at start-up.
  private final class Claim: Sendable {
    let topic: JournalTopic
    /// Its owner has left it, but the journal has not written all its entries yet.
    let isLeaving: Bool

    init(_ topic: JournalTopic, isLeaving: Bool = false) {
      self.topic = topic
      self.isLeaving = isLeaving
    }
  }

  /// - Parameter isOnlyRead: Whether this process only asks for the claims of other processes.
  package init(path: String, isOnlyRead: Bool = false) {
    self.path = path
    self.isOnlyRead = isOnlyRead
  }

  deinit { close() }

  /// Work that other processes wait for. They can name the process that does it.
  package enum Work: off_t {
    case migration
    case indexes

    /// The byte that the working process locks.
    fileprivate func place(of process: Int32) -> off_t { places.lowerBound + off_t(process) }
    /// One byte for each possible process ID, from 2⁶¹ + 2⁶⁰ on.
    fileprivate var places: Range<off_t> {
      let first = 1 << 61 + 1 << 60 + rawValue << 32
      return first..<first + 1 << 32
    }
  }

  /// Like ``take(_:)``, for work that callers wait for.
  package func take(_ topic: JournalTopic, for work: Work) throws(SystemFailure) -> Bool {
    guard try take(topic) else { return false }
    state.withLock { state in _ = try? ByteLock.take(.exclusive, work.place(of: OwnProcess.id), of: state.descriptor) }
    return true
  }

  /// The process that does this work, which may be this one. `nil` if there is none, or the system has no such locks.
  package func holder(of work: Work) -> Int32? {
    state.withLock { state in
      guard state.descriptor >= 0, let place = try? ByteLock.firstTaken(of: work.places, of: state.descriptor) else {
        return nil
      }
      return Int32(place - work.places.lowerBound)
    }
  }

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
      guard let descriptor = opened(&state) else { throw .last }
      guard try ByteLock.take(.exclusive, Self.ownPlaces(of: topic), of: descriptor) else { return false }
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
      for topic in state.leaving {
        unlock(topic, state)
        Self.remove(topic, &state)
      }
      state.leaving = []
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
      guard let descriptor = opened(&state),
        let lock = ByteLock.lock(on: Self.place(of: topic), of: descriptor)
      else { return (false, false, nil) }
      return (false, true, Self.process(lock))
    }
  }

  /// Where the claim of the topic is, or of another topic with the same bytes. O(1).
  private static func index(of topic: JournalTopic, _ state: borrowing State) -> Int? {
    let first = place(of: topic)
    return state.places.place(hash(topic)) { place(of: state.claims[$0].topic) == first }
  }

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
      var numbers: [Int] = []
      for claim in state.claims { Self.add(Self.ownPlaces(of: claim.topic), to: &numbers) }
      for lock in ByteLock.locks(on: Self.places, of: descriptor) { Self.add(lock, to: &numbers) }
      return numbers
    }
  }

  private static func add(_ lock: Range<off_t>, to numbers: inout [Int]) {
    numbers.append(Int(lock.lowerBound))
    numbers.append(Int(process(lock) ?? 0))
  }

  private func opened(_ state: inout State) -> Int32? {
    if state.descriptor < 0 { state.descriptor = open(path, (isOnlyRead ? O_RDONLY : O_RDWR) | O_CLOEXEC) }
    return state.descriptor < 0 ? nil : state.descriptor
  }

  package func close() {
    state.withLock { state in
      (state.claims, state.places, state.leaving) = ([], HashIndex(), [])
      if state.descriptor >= 0 { ByteLock.close(state.descriptor, openedIn: forkGeneration) }
      state.descriptor = -1
    }
  }

  private func unlock(_ topic: JournalTopic, _ state: State) {
    // A forked child shares the locks with its parent, which owns them.
    guard ForkGuard.generation.load(ordering: .relaxed) == forkGeneration else { return }
    ByteLock.release(Self.ownPlaces(of: topic), of: state.descriptor)
  }

  /// The first byte to lock. Drafts start at 2⁶² and scenes at 2⁶² + 2⁶¹, and 2²² times 39 bits of the hash are added.
  private static func place(of topic: JournalTopic) -> off_t {
    let hash = topic.hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let first: UInt64 = if topic.isDraft { 1 << 62 } else { 1 << 62 | 1 << 61 }
    return off_t(first | (hash >> 25) << 22)
  }

  /// The bytes that this process locks. No system has a process with a higher ID than 2²² at present.
  private static func ownPlaces(of topic: JournalTopic) -> Range<off_t> {
    let (place, process) = (place(of: topic), off_t(OwnProcess.id))
    return place..<place + (process > 0 && process < 1 << 22 ? process : 1 << 22)
  }

  private static var places: Range<off_t> { 1 << 62..<off_t.max }

  /// The process that has a claim. `nil` if the number of bytes cannot tell.
  private static func process(_ lock: Range<off_t>) -> Int32? {
    let count = lock.upperBound - lock.lowerBound
    return count < 1 << 22 ? Int32(count) : nil
  }
}
