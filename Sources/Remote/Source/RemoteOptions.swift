/// The options of a `RemoteSource`.
public struct RemoteOptions: Sendable {
  /// How conflicts are resolved, ``RemoteConflictPolicy/ask`` by default.
  public var conflicts = RemoteConflictPolicy.ask
  /// How often, and when, a request is retried.
  public var retry = RemoteRetry()
  /// Whether a refresh reads all pages, instead of as many as were read before.
  ///
  /// By default, it is `false`.
  ///
  /// Use it for a list that must be complete, for example offline. Each page is one transaction. The memory for a
  /// refresh is one page, and the identifiers of all rows.
  public var readsAllPages = false
  /// The number of rows at the end of the list that trigger a load. Prefetching one of them loads the next page.
  public var prefetchDistance = 20
  /// The clock of all delays.
  ///
  /// Tests can replace it.
  public var clock: any Clock<Duration> = ContinuousClock()

  /// Makes options that ask the program about conflicts and try each request three times.
  public init() {}
}
