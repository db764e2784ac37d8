import RepriseLists
import RepriseQuery

extension RemoteSource {
  /// The rows that the store could not keep when the server last sent them, by their identifiers: all others are there.
  /// Each is taken, and no longer listed, once the server sends it as one that can be kept, which it does when it has
  /// changed, or for ``refreshAnew()``. Those without an identifier are listed once for each reason, until all pages
  /// were read without them. Costs their number.
  ///
  /// - Throws: `FetchError`: the store cannot be read.
  public func refusedRows() throws -> [RefusedRow] {
    let name = name
    return try list.context.fetch(Fetch<RefusedRowEntry> { $0.source == name }.sorted { $0.remoteID })
      .map(\.snapshot)
  }

  /// Like ``refresh()``, and reads also what has not changed on the server since: for rows that were refused, once the
  /// program or the store would no longer refuse them.
  ///
  /// - Throws: As ``refresh()``.
  nonisolated(nonsending) public func refreshAnew() async throws {
    let synchronizer = synchronizer
    // None that is under way may have read what is to be read anew.
    try await reading(SingleFlight()) { try await synchronizer.refreshAnew() }
  }
}
