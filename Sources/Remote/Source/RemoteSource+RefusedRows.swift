import RepriseLists
import RepriseObjectGraph
import RepriseQuery

extension RemoteSource {
  /// Returns the rows that the store could not keep when the server last sent them, ordered by identifier.
  ///
  /// All other rows are in the store. A row leaves this list when the server sends it in a form that the store can
  /// keep. Servers send a row again when it has changed, or for ``refreshAnew()``. Rows without an identifier are
  /// listed once for each reason, until all pages were read without such a row. Takes time in proportion to the number
  /// of refused rows.
  ///
  /// - Throws: `FetchError` if the store cannot be read.
  public func refusedRows() throws -> [RefusedRow] {
    let name = name
    return try RootContext(list.context.store).fetch(
      Fetch<RefusedRowEntry> { $0.source == name }.sorted { $0.remoteID }
    ).map(\.snapshot)
  }

  /// Refreshes, and also reads rows that have not changed on the server.
  ///
  /// Use it after a change of the program or the model that lets the store keep the refused rows.
  ///
  /// - Throws: As ``refresh()``.
  nonisolated(nonsending) public func refreshAnew() async throws {
    let synchronizer = synchronizer
    // A reading that is in progress may have read the old rows, so this one does not join it.
    try await reading(SingleFlight()) { try await synchronizer.refreshAnew() }
  }
}
