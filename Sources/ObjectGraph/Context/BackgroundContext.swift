import RepriseEventStore
import RepriseSystem

/// A context on its own queue, for imports and other work off the main actor.
///
/// The context never leaves the actor; IDs and snapshots do. A hop into the actor costs microseconds, so batch the work
/// in one ``perform(_:)``.
public actor BackgroundContext {
  private let context: RootContext
  private let queue = QueueExecutor()
  /// How many calls of ``perform(_:)`` are under way.
  private var uses = 0

  /// Makes a context at the head of the log. It moves with `refresh()` and `save`. If it has no uncommitted changes,
  /// the next ``perform(_:)`` also moves it to the head, so that an idle context costs no memory for others' saves.
  public init(_ store: Store, author: String? = nil, name: String? = nil) {
    let context = RootContext(store, author: author, name: name, isolation: nil)
    context.rest()
    self.context = context
  }

  /// The executor that runs the work.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Runs `body` with the context on this actor, including after suspensions, once the store is open. Unless `body`
  /// moves the context, all its reads answer for one position.
  ///
  /// The result must be sendable: objects are not, their IDs and snapshots are.
  public func perform<Success, Failure: Error>(
    _ body: nonisolated(nonsending) sending (RootContext) async throws(Failure) -> sending Success
  ) async throws(Failure) -> sending Success {
    uses += 1
    defer {
      uses -= 1
      if uses == 0 { context.rest() }
    }
    // What cannot be opened, the body hears of when it reads.
    try? await context.store.waitUntilOpen()
    context.beginOnceOpen()
    return try await body(context)
  }
}

/// A serial executor on a queue whose thread may block on the disk.
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
