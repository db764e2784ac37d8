import RepriseLog
import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Announces to all processes which uploads and unused blobs are still needed. A process that makes a blob holds the
/// blob until it closes the store or ends.
///
/// A claim is a lock on a byte of the environment's file, like the claims of drafts. Any number of processes may hold a
/// blob. A process can remove a blob only while no process holds it.
final class BlobClaims: Sendable {
  private let path: String
  private let forkGeneration = ForkGuard.current()
  private let state = Guarded(State())

  private struct State: Sendable {
    var descriptor: Int32 = -1
    var held: Set<off_t> = []
    /// The places that this process is removing. The locks exclude only other processes.
    var removed: Set<off_t> = []
  }

  init(path: String) { self.path = path }

  deinit { close() }

  /// Holds an upload or a blob. False if somebody is about to remove it.
  func hold(_ subject: Subject) throws(SystemFailure) -> Bool {
    try state.withLock { state throws(SystemFailure) in
      if state.held.contains(subject.place) { return true }
      if state.removed.contains(subject.place) { return false }
      guard try ByteLock.take(.shared, subject.place, of: descriptor(&state)) else { return false }
      state.held.insert(subject.place)
      return true
    }
  }

  func release(_ subject: Subject) {
    state.withLock { state in
      if state.held.remove(subject.place) != nil { unlock(subject.place, state) }
    }
  }

  /// Runs `body` with the subjects that no process holds. Meanwhile, no process can begin to hold them.
  func whileUnheld<Result, Failure: Error>(
    _ subjects: [Subject], _ body: ([Subject]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let taken = subjects.filter { subject in
      state.withLock { state in
        if state.held.contains(subject.place) || state.removed.contains(subject.place) { return false }
        guard (try? ByteLock.take(.exclusive, subject.place, of: descriptor(&state))) ?? false else { return false }
        state.removed.insert(subject.place)
        return true
      }
    }
    defer {
      state.withLock { state in
        for subject in taken where state.removed.remove(subject.place) != nil { unlock(subject.place, state) }
      }
    }
    return try body(taken)
  }

  func close() {
    state.withLock { state in
      state.held = []
      state.removed = []
      if state.descriptor >= 0 { ByteLock.close(state.descriptor, openedIn: forkGeneration) }
      state.descriptor = -1
    }
  }

  private func descriptor(_ state: inout State) throws(SystemFailure) -> Int32 {
    if state.descriptor < 0 {
      state.descriptor = open(path, O_RDWR | O_CLOEXEC)
      guard state.descriptor >= 0 else { throw .last }
    }
    return state.descriptor
  }

  private func unlock(_ place: off_t, _ state: State) {
    // A forked child shares the locks with its parent, which owns them.
    guard ForkGuard.generation.load(ordering: .relaxed) == forkGeneration else { return }
    ByteLock.release(place, of: state.descriptor)
  }

  enum Subject: Sendable {
    case upload(UniqueID)
    case blob(Digest)

    /// The byte to lock: 2⁶¹ plus 60 bits of the digest, or of the random half of the upload's ID.
    fileprivate var place: off_t {
      switch self {
      case .upload(let id): off_t(1 << 61 | id.low & (1 << 60 - 1))
      case .blob(let digest): off_t(1 << 61 | digest.words.0 >> 4)
      }
    }
  }
}
