import RepriseEventStore
import RepriseSystem

/// A context on a queue of its own, for imports and other work off the main actor.
///
/// The context stays inside: IDs and snapshots come out. A hop into the actor costs microseconds, so do much in one
/// ``perform(_:)``.
public actor BackgroundContext {
  private let context: RootContext
  private let queue = QueueExecutor()
  /// How many ``perform(_:)`` are under way.
  private var uses = 0

  /// A context at the head of the log. It moves with `refresh()` and `save`; and to the head with the next
  /// ``perform(_:)`` where nothing is uncommitted in it, so that an idle one costs no memory for what others save.
  public init(_ store: Store, author: String? = nil, name: String? = nil) {
    let context = RootContext(store, author: author, name: name, isolation: nil)
    context.rest()
    self.context = context
  }

  /// Where the work runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Runs `body` with the context, on this actor, across its suspensions. Unless `body` moves the context, all that it
  /// reads answers for one position.
  ///
  /// What it returns must be sendable away: objects are not, their IDs and snapshots are.
  public func perform<Success, Failure: Error>(
    _ body: nonisolated(nonsending) sending (RootContext) async throws(Failure) -> sending Success
  ) async throws(Failure) -> sending Success {
    uses += 1
    defer {
      uses -= 1
      if uses == 0 { context.rest() }
    }
    return try await body(context)
  }
}

/// A serial executor over a queue whose threads may wait for a disk.
private final class QueueExecutor: SerialExecutor {
  private let queue = SerialQueue()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.run { job.runSynchronously(on: executor) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  func checkIsolated() { queue.checkIsCurrent() }
}
