import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Which drafts and scenes are taken: each by one context or restoration, in this process or another.
///
/// A claim is a lock on one byte of the environment's file, far behind any end that it may have: nothing is written for
/// it, and the system takes it back when the process ends, however it ends.
final class Claims: Sendable {
  private let path: String
  private let forkGeneration = ForkGuard.current()
  private let state = Guarded(State())

  private struct State: Sendable {
    var descriptor: Int32 = -1
    var claims: [Claim] = []
  }

  // A class: arrays of objects all have one type, which is there when a process starts.
  private final class Claim: Sendable {
    let topic: JournalTopic
    /// Whoever had it is done with it, and the journal does not have all of it yet.
    let isLeaving: Bool

    init(_ topic: JournalTopic, isLeaving: Bool = false) {
      self.topic = topic
      self.isLeaving = isLeaving
    }
  }

  init(path: String) { self.path = path }

  deinit { close() }

  /// Takes a topic; false if somebody has it. Waits for nobody.
  func take(_ topic: JournalTopic) throws(SystemFailure) -> Bool {
    try state.withLock { state throws(SystemFailure) in
      if let place = state.claims.firstIndex(where: { $0.topic == topic }) {
        guard state.claims[place].isLeaving else { return false }
        state.claims[place] = Claim(topic)
        return true
      }
      if state.descriptor < 0 {
        state.descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard state.descriptor >= 0 else { throw .last }
      }
      var lock = Self.lock(F_WRLCK, topic)
      guard fcntl(state.descriptor, Self.setLock, &lock) == 0 else {
        let failure = SystemFailure.last
        if failure.errno == EAGAIN || failure.errno == EACCES { return false }
        throw failure
      }
      state.claims.append(Claim(topic))
      return true
    }
  }

  /// Whoever had the topic is done with it. Others may have it once ``letGo()`` is called.
  func leave(_ topic: JournalTopic) {
    state.withLock { state in
      guard let place = state.claims.firstIndex(where: { $0.topic == topic }) else { return }
      state.claims[place] = Claim(topic, isLeaving: true)
    }
  }

  /// Gives others what was left.
  func letGo() {
    state.withLock { state in
      for claim in state.claims where claim.isLeaving { unlock(claim.topic, state) }
      state.claims.removeAll { $0.isLeaving }
    }
  }

  /// Whether something was left and not let go.
  var hasLeaving: Bool { state.withLock { $0.claims.contains { $0.isLeaving } } }

  /// Whether somebody has the topic: this process's own, or another's.
  func isTaken(_ topic: JournalTopic) -> (here: Bool, elsewhere: Bool) {
    state.withLock { state in
      if let claim = state.claims.first(where: { $0.topic == topic }) { return (!claim.isLeaving, false) }
      let descriptor = state.descriptor < 0 ? open(path, O_RDWR | O_CLOEXEC) : state.descriptor
      guard descriptor >= 0 else { return (false, false) }
      if state.descriptor < 0 { state.descriptor = descriptor }
      var lock = Self.lock(F_WRLCK, topic)
      return (false, fcntl(descriptor, Self.getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK))
    }
  }

  func close() {
    state.withLock { state in
      state.claims = []
      if state.descriptor >= 0 { systemClose(state.descriptor) }
      state.descriptor = -1
    }
  }

  private func unlock(_ topic: JournalTopic, _ state: State) {
    // A forked child has the locks in common with its parent, whose they are.
    guard ForkGuard.generation.load(ordering: .relaxed) == forkGeneration else { return }
    var lock = Self.lock(F_UNLCK, topic)
    _ = fcntl(state.descriptor, Self.setLock, &lock)
  }

  // Locks of the open file, not of the process: closing another descriptor of the same file leaves them.
  #if canImport(Darwin)
  private static let setLock: Int32 = 90
  private static let getLock: Int32 = 92
  #else
  private static let setLock: Int32 = 37
  private static let getLock: Int32 = 36
  #endif

  private static func lock(_ type: some BinaryInteger, _ topic: JournalTopic) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = place(of: topic)
    lock.l_len = 1
    return lock
  }

  /// From 2⁶² on: drafts, and behind them scenes, each by 61 bits of its hash.
  private static func place(of topic: JournalTopic) -> off_t {
    let hash = topic.hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let first: UInt64 = if case .draft = topic { 1 << 62 } else { 1 << 62 | 1 << 61 }
    return off_t(first | hash >> 3)
  }
}

private func systemClose(_ descriptor: Int32) { close(descriptor) }
