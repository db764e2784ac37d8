import RepriseLog
import RepriseObjectModel
import RepriseSystem
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Announces to all processes the position from which this process reads the log, so that no process drops these
/// transactions.
///
/// It is a lock on a byte of the environment's file, like a claim. So the system releases it when the process ends for
/// any reason. It follows the lowest pin at some distance, because most pins move with every save.
package final class PinnedPositions: Sendable {
  private let path: String
  private let forkGeneration = ForkGuard.current()
  private let state = Guarded(State())
  /// A copy of `state.held`, for callers that pin a position that is already held.
  private let held = Atomic<UInt64>(PinnedPositions.none)

  private struct State: Sendable {
    var descriptor: Int32 = -1
    var held: Position?
  }

  /// How many transactions the lock may be behind the lowest pin.
  private static let slack: UInt64 = 64
  private static let none = UInt64.max
  private static let patience = 2_000
  /// The byte of position 0.
  private static let first = off_t(1) << 60
  private static func place(_ position: Position) -> off_t { first + off_t(clamping: min(position.number, 1 << 59)) }

  package init(path: String) { self.path = path }

  deinit { close() }

  /// Holds a position, all later ones, and the positions that are held already. If another process is deleting earlier
  /// transactions, this waits up to two seconds. That process may be stopped.
  ///
  /// If the lock fails, the position is not held. If its transactions are deleted then, reads there throw `truncated`.
  package func hold(_ position: Position) {
    let known = held.load(ordering: .acquiring)
    if known != Self.none, known <= position.number { return }
    state.withLock { state in
      if let known = state.held, known <= position { return }
      move(to: position, &state)
    }
  }

  /// Releases positions that no pin needs.
  ///
  /// - Parameters:
  ///   - lowest: The lowest pin, asked for when it matters; `nil` if there is none.
  ///   - head: The head.
  ///   - exactly: Whether to come up to the lowest pin, and not only near it.
  package func release(head: Position, exactly: Bool = false, _ lowest: () -> Position?) {
    let known = held.load(ordering: .acquiring)
    guard known != Self.none, exactly || head.number > known &+ Self.slack else { return }
    state.withLock { state in
      let lowest = lowest()
      guard let known = state.held, lowest.map({ $0 > known }) ?? true else { return }
      move(to: lowest, &state)
    }
  }

  private func move(to position: Position?, _ state: inout State) {
    // A forked child shares the locks with its parent, which owns them.
    guard ForkGuard.generation.load(ordering: .relaxed) == forkGeneration else { return }
    if state.descriptor < 0 { state.descriptor = open(path, O_RDWR | O_CLOEXEC) }
    guard state.descriptor >= 0 else { return }
    if let position {
      let isTaken = try? ByteLock.take(
        .shared, Self.place(position), of: state.descriptor, withinMilliseconds: Self.patience)
      guard isTaken == true else { return }
    }
    // Locks the new position first, so that one of the two is always locked.
    if let old = state.held, old != position { ByteLock.release(Self.place(old), of: state.descriptor) }
    state.held = position
    held.store(position?.number ?? Self.none, ordering: .releasing)
  }

  package func close() {
    state.withLock { state in
      if state.descriptor >= 0 { ByteLock.close(state.descriptor, openedIn: forkGeneration) }
      (state.descriptor, state.held) = (-1, nil)
      held.store(Self.none, ordering: .releasing)
    }
  }

  /// The first position before `end` that any process holds. `nil` if there is none.
  ///
  /// - Throws: The system's error if it has no such locks. Then it is unknown whether a process holds a position.
  package static func first(before end: Position, path: String) throws(SystemFailure) -> Position? {
    try withDescriptor(path) { (descriptor) throws(SystemFailure) in
      try ByteLock.firstTaken(of: first..<place(end), of: descriptor).map { Position(UInt64($0 - first)) }
    }
  }

  /// Runs `body` while no process can begin to hold a position before `end`. `nil` if a process holds one already,
  /// which ``first(before:path:)`` returns.
  ///
  /// - Throws: The errors of ``first(before:path:)``. The error of `body` is in the result.
  package static func whileFree<Success, Failure: Error>(
    before end: Position, path: String, _ body: () throws(Failure) -> Success
  ) throws(SystemFailure) -> Result<Success, Failure>? {
    try withDescriptor(path) { (descriptor) throws(SystemFailure) in
      guard end == 0 ? true : try ByteLock.take(.exclusive, first..<place(end), of: descriptor) else { return nil }
      return Result { () throws(Failure) in try body() }
    }
  }

  private static func withDescriptor<Success>(
    _ path: String, _ body: (Int32) throws(SystemFailure) -> Success
  ) throws(SystemFailure) -> Success {
    let forkGeneration = ForkGuard.current()
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    defer { ByteLock.close(descriptor, openedIn: forkGeneration) }
    return try body(descriptor)
  }
}
