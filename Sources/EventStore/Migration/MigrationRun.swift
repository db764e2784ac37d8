import Synchronization

/// A plan under way: what its caller wants to hear, and whether it is to end.
package final class MigrationRun: Sendable {
  let plan: MigrationPlan
  let progress: (@Sendable (MigrationProgress) -> Void)?
  let isCancelled = Atomic<Bool>(false)

  package init(_ plan: MigrationPlan, progress: (@Sendable (MigrationProgress) -> Void)? = nil) {
    self.plan = plan
    self.progress = progress
  }

  /// Ends the plan after the slice that is under way. What is done stays done.
  package func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
