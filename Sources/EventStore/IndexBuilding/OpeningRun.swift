import RepriseLog
import Synchronization

/// A long opening: the caller's progress handler, and whether the opening must end.
package final class OpeningRun: Sendable {
  let progress: (@Sendable (MigrationProgress) -> Void)?
  private let isEnded = Atomic<Bool>(false)
  private let whole: OpeningRun?

  package init(progress: (@Sendable (MigrationProgress) -> Void)? = nil) {
    self.progress = progress
    whole = nil
  }

  /// A part of an opening that reports no progress, and that ends when the opening ends.
  init(silently whole: OpeningRun) {
    progress = nil
    self.whole = whole
  }

  /// Ends it after the current slice. Finished slices stay.
  package func cancel() { isEnded.store(true, ordering: .relaxed) }

  var isCancelled: Bool { isEnded.load(ordering: .relaxed) || whole?.isCancelled ?? false }

  func checkCancellation(_ path: String) throws(StoreError) {
    if isCancelled { throw .migration(.cancelled(path: path)) }
  }
}
