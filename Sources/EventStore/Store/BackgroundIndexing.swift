import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Builds indexes while the store is open, then completes the histories of indexes.
final class BackgroundIndexing: Sendable {
  private struct Left: Sendable {
    var targets: [UnbuiltIndex] = []
    var progress = 0.0
  }

  private let state = Guarded(Left())
  let steps = BackgroundSteps()
  /// The wait after a failed step, in nanoseconds.
  private static let retry: UInt64 = 5_000_000_000

  /// The indexes that are not built yet, and the finished fraction of the first one.
  var left: (targets: [UnbuiltIndex], progress: Double) { state.withLock { ($0.targets, $0.progress) } }

  func start(_ targets: [UnbuiltIndex], of store: Store, _ options: IndexingOptions) {
    state.withLock { $0.targets = targets }
    steps.start("builds indexes", in: store, retryingAfter: Self.retry) { [self] store in
      let builds = IndexBuildQueue(
        targets, store.path, store.environment, store.tables, logID: store.logID, options,
        unless: { self.steps.isStopped })
      let histories = HistoryBuilds(store.environment, store.tables, options, unless: { self.steps.isStopped })
      var isBuilt = targets.isEmpty
      return { (store) throws(StoreError) in
        if isBuilt { return try histories.step() ? nil : histories.pause }
        defer { self.state.withLock { ($0.targets, $0.progress) = builds.left } }
        let before = builds.left.targets.count
        isBuilt = try builds.step()
        // Learns the schema in which the index is ready, so that fetches use it at once.
        if builds.left.targets.count < before { _ = try store.refreshedHead() }
        return isBuilt ? 0 : builds.pause
      }
    }
  }
}
