import RepriseEventStore
import RepriseSystem

/// An actor that runs a context on its own queue, for imports and other work off the main actor.
///
/// The context and its objects stay in the actor. Pass IDs and snapshots out instead. Each call into the actor costs
/// microseconds, so do related work in one ``perform(_:)``.
public actor BackgroundContext {
  private let context: RootContext
  private let queue = QueueExecutor()
  /// How many calls of ``perform(_:)`` are under way.
  private var uses = 0

  /// Makes a context at the head of the log.
  ///
  /// The context moves with `refresh()` and `save`. If it has no uncommitted changes, the next ``perform(_:)`` also
  /// moves it to the head. An idle context therefore pins no old position of the store in memory.
  ///
  /// - Parameters:
  ///   - store: The store to read and edit. If the store is still opening, ``perform(_:)`` waits.
  ///   - author: The author recorded with each transaction.
  ///   - name: The name of the context, recorded with each transaction.
  public init(_ store: Store, author: String? = nil, name: String? = nil) {
    let context = RootContext(store, author: author, name: name, isolation: nil)
    context.mayBlock = true
    context.rest()
    self.context = context
  }

  /// The actor's executor, a serial queue whose thread may block on the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Waits until the store is open, then runs `body` with the context on this actor.
  ///
  /// `body` stays on this actor after suspensions too. Unless `body` moves the context, all its reads see the same
  /// position of the log. If the store cannot be opened, `body` still runs, and its reads report the failure.
  ///
  /// The result must be sendable. Return IDs or snapshots, because objects are not sendable.
  public func perform<Success, Failure: Error>(
    _ body: nonisolated(nonsending) sending (RootContext) async throws(Failure) -> sending Success
  ) async throws(Failure) -> sending Success {
    uses += 1
    defer {
      uses -= 1
      if uses == 0 { context.rest() }
    }
    // If the store cannot be opened, the body's first read throws.
    try? await context.store.waitUntilOpen()
    context.beginOnceOpen()
    return try await body(context)
  }
}

/// A serial executor on a queue whose thread may block on the disk.
package final class QueueExecutor: SerialExecutor {
  private let queue = SerialQueue()

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.run { job.runSynchronously(on: executor) }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  package func checkIsolated() { queue.checkIsCurrent() }
}
