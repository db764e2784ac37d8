import Synchronization

/// An opening that takes long: what its caller wants to hear, and whether it is to end.
package final class OpeningRun: Sendable {
  let progress: (@Sendable (MigrationProgress) -> Void)?
  private let isCancelled = Atomic<Bool>(false)
  private let whole: OpeningRun?

  package init(progress: (@Sendable (MigrationProgress) -> Void)? = nil) {
    self.progress = progress
    whole = nil
  }

  /// A part of an opening that nobody hears of, and that ends with it.
  init(silently whole: OpeningRun) {
    progress = nil
    self.whole = whole
  }

  /// Ends it after the slice that is under way. What is done stays done.
  package func cancel() { isCancelled.store(true, ordering: .relaxed) }

  func checkCancellation(_ path: String) throws(StoreError) {
    if isCancelled.load(ordering: .relaxed) { throw .migration(.cancelled(path: path)) }
    try whole?.checkCancellation(path)
  }
}
