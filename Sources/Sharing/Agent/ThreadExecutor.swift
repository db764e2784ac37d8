import RepriseSystem

/// Runs tasks on one thread. Programs may block all threads of Swift's pool, for example with saves that wait for the
/// connection to a shared log.
final class ThreadExecutor: TaskExecutor {
  private let queue = SerialQueue()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
