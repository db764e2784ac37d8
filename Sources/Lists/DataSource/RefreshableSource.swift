/// A data source whose rows come from elsewhere, and can be read anew: when the user pulls, when the screen appears
/// again, or after a failure.
///
/// ```swift
/// @MainActor final class Headlines: @MainActor RefreshableSource {
///   private let refreshing = SingleFlight()
///
///   @MainActor func refresh() async throws {
///     try await refreshing.run { try await self.load() }
///   }
///   …
/// }
/// ```
///
/// A source of an actor names it at the method, as here: otherwise the compiler takes the method to be that of any
/// isolation, as it is in the protocol.
///
/// `DataSourceConformance` in `RepriseTesting` checks what ``refresh()`` promises.
public protocol RefreshableSource<Element>: DataSource {
  /// Reads the rows anew, and returns once the observers have received what changed. What did not change need not be
  /// told.
  ///
  /// One at a time: a call during another one joins it, and returns with it; ``SingleFlight`` does so. It ends early
  /// if its task is cancelled, with a `CancellationError`; other calls that joined it are not affected.
  ///
  /// This is how a source that is ``Readiness/failed(_:)`` tries again: where it succeeds, the source is ready, and
  /// where it fails, the rows stay what they were.
  ///
  /// - Throws: Why the rows could not be read; `CancellationError` if the task was cancelled.
  nonisolated(nonsending) func refresh() async throws
}
