import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The building of indexes while the store is open.
final class BackgroundIndexing: Sendable {
  private struct Left: Sendable {
    var targets: [UnbuiltIndex] = []
    var progress = 0.0
  }

  private let state = Guarded(Left())
  let steps = BackgroundSteps()
  /// After a failure, in nanoseconds.
  private static let retry: UInt64 = 5_000_000_000

  /// What is left, and how much of the first is done.
  var left: (targets: [UnbuiltIndex], progress: Double) { state.withLock { ($0.targets, $0.progress) } }

  func start(_ targets: [UnbuiltIndex], of store: Store, _ options: IndexingOptions) {
    state.withLock { $0.targets = targets }
    steps.start("builds indexes", in: store, retryingAfter: Self.retry) { [self] store in
      let builds = IndexBuilds(
        targets, store.path, store.environment, store.tables, logID: store.logID, options,
        unless: { self.steps.isStopped })
      return { (store) throws(StoreError) in
        defer { self.state.withLock { ($0.targets, $0.progress) = builds.left } }
        let before = builds.left.targets.count
        let isDone = try builds.step()
        // The program is to know at once, and who looks at the list of them later.
        if builds.left.targets.count < before { _ = try store.refreshedHead() }
        return isDone ? nil : builds.pause
      }
    }
  }
}
