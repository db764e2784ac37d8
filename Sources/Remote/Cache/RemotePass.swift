import RepriseEventStore

/// One reading of a list from its first page to its last, after which it is known which rows are gone. Its memory is
/// the identifiers.
struct RemotePass: Sendable {
  /// The head when it began.
  let start: Position
  var seen: Set<String> = []
  /// What it has to ask for next.
  private(set) var nextPage: String?
  /// The first that a page had: what changed while the pages were read has to be read again.
  private(set) var validator: String?
  private(set) var cursor: String?
  /// Whether the list changed while its pages were read, as their cursors tell: rows may have moved to a page that had
  /// been read already, so nothing can be said of those that were on none.
  private(set) var isTorn = false

  init(_ start: Position) { self.start = start }

  mutating func add<Record>(_ page: RemotePage<Record>, _ ids: [String]) {
    seen.formUnion(ids)
    nextPage = page.nextPage
    if let cursor, let next = page.cursor, next != cursor { isTorn = true }
    validator = validator ?? page.validator
    cursor = cursor ?? page.cursor
  }
}
