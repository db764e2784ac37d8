import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery

/// The rows that a list had in memory when its last observer left, without a pin. When the list is used again, it
/// follows the later transactions in the log instead of fetching.
struct UnobservedRows {
  private let rows: ListMoment.Rows
  private let watched: WatchedFetch
  private let map: EntityMap
  private let position: Position

  /// The most transactions to read. For more, a fetch costs less.
  private static let transactionLimit = 1000

  /// `nil` if an index has the rows, or if there are uncommitted changes. Keeping these would copy them with each edit.
  init?(_ moment: ListMoment) {
    if case .counted = moment.rows { return nil }
    if moment.projection.hasOverlays { return nil }
    rows = moment.rows
    watched = moment.watched
    map = moment.map
    position = moment.projection.position
  }

  /// The present moment of the list. `nil` if it must be fetched.
  func following(_ fetch: CompiledFetch, in projection: Projection) throws(FetchError) -> ListMoment? {
    guard fetch == watched.fetch, projection.position >= position,
      position.distance(to: projection.position) <= Self.transactionLimit
    else { return nil }
    let last = ListMoment(watched, map, projection.past(at: position, uncommitted: []), rows)
    return try last.following(in: projection, readingLog: true).moment
  }
}
