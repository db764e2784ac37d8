/// A data source that can read its rows again, for example when the user pulls to refresh, or after a failure.
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
/// If the source belongs to an actor, annotate `refresh()` with it, as with `@MainActor` in the sample. Without the
/// annotation, `refresh()` is `nonisolated(nonsending)` as in the protocol, and runs in the isolation of its caller.
///
/// To check that your ``refresh()`` keeps its promises, use `DataSourceConformance` in `RepriseTesting`.
public protocol RefreshableSource<Element>: DataSource {
  /// Reads the rows again, and returns after the observers have received the changes.
  ///
  /// A call during another one joins it and ends with it, for example by means of ``SingleFlight``. If its task is
  /// cancelled, the call ends early, and other calls that joined it go on.
  ///
  /// A source that is ``LoadState/failed(_:)`` uses this to try again. If it succeeds, the source becomes loaded. If it
  /// fails, the rows stay as they were.
  ///
  /// - Throws: The reason why the rows could not be read. `CancellationError` if the task was cancelled.
  nonisolated(nonsending) func refresh() async throws
}
