/// How a `RemoteSource` deals with its server.
public struct RemoteOptions: Sendable {
  /// What happens when both sides changed the same; ``RemoteConflictPolicy/ask`` by default.
  public var conflicts = RemoteConflictPolicy.ask
  /// How often a server is asked again that does not answer.
  public var retry = RemoteRetry()
  /// Whether a refresh reads all pages, instead of as many as were read before: for a list that is wanted as a whole,
  /// offline, too. Each page is a transaction; in memory are one page, and the identifiers of all rows.
  public var readsAllPages = false
  /// How many rows before the end prefetching loads the next page.
  public var prefetchDistance = 20
  /// The clock of all delays: another one for tests.
  public var clock: any Clock<Duration> = ContinuousClock()

  /// Conflicts are for the program, and a call asks three times.
  public init() {}
}
