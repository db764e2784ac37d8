import RepriseSystem
import Synchronization

/// A save in the writer's queue. The saving task waits on this actor, whose executor is the queue. The task's job waits
/// there, and the thread that has committed the save runs it.
///
/// The job only returns to the actor of the caller, so one thread wakes one other. A continuation would resume the task
/// on Swift's pool first, and a thread of the pool would then wake the actor.
///
/// Safe: one thread at a time uses the mutable properties. The lock of the queue passes them from the caller to the
/// thread that commits, and the job or the wake-up passes them back.
actor WaitingSave: SerialExecutor {
  private nonisolated let store: Store
  /// Released before the caller continues, so that the memory of the saved changes is already free.
  nonisolated(unsafe) private(set) var request: SaveRequest?
  nonisolated(unsafe) private(set) var result: Result<AppendedSave, AppendRefusal>?
  nonisolated(unsafe) private var job: UnownedJob?
  /// Wakes a thread that waits instead of a task.
  private nonisolated let wakeUp: WakeUp?
  private nonisolated let isEnded = Atomic<Bool>(false)

  init(_ request: SaveRequest, in store: Store, _ wakeUp: WakeUp? = nil) {
    self.request = request
    self.store = store
    self.wakeUp = wakeUp
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

  /// Enters the queue. The runtime calls it on the caller's thread, so saves of one actor are in the order of their
  /// calls.
  nonisolated func enqueue(_ job: consuming ExecutorJob) {
    self.job = UnownedJob(job)
    store.writer.add(self, in: store)
  }

  /// Waits in the queue for the commit.
  // invariant: the job of this call runs after `end`.
  func outcome() -> Result<AppendedSave, AppendRefusal> { result! }

  /// Waits in the queue for the commit, and blocks the thread.
  nonisolated func blockingOutcome() -> Result<AppendedSave, AppendRefusal> {
    store.writer.add(self, in: store)
    wakeUp?.wait(until: nil)
    // invariant: the wake-up is in `end`.
    return result!
  }

  nonisolated func free() { request = nil }

  nonisolated func end(_ result: Result<AppendedSave, AppendRefusal>) {
    self.result = result
    wakeUp?.wake()
    job?.runSynchronously(on: asUnownedSerialExecutor())
  }

  nonisolated var isCancelled: Bool { isEnded.load(ordering: .relaxed) }
  nonisolated func cancel() { isEnded.store(true, ordering: .relaxed) }
}
