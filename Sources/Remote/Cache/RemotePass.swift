import RepriseEventStore

/// One reading of a list from its first page to its last, after which it is known which rows are gone. Its memory is
/// the identifiers.
struct RemotePass<Record: Sendable>: Sendable {
  /// The head when it began.
  let start: Position
  /// What the store says of readings as long as nothing came between this one's pages.
  var reading: Int
  /// The identifiers on each page, and of rows that were made meanwhile. By pages, so that the next one costs what it
  /// has and not what all have that came before.
  private var pages: [[String]] = []
  /// What it has to ask for next.
  private(set) var nextPage: String?
  /// The first that a page had: what changed while the pages were read has to be read again.
  private(set) var validator: String?
  private(set) var cursor: String?
  /// Whether nothing can be said of the rows that were on no page. The list changed while its pages were read, as their
  /// cursors or validators say: rows may have moved to a page that had been read already. Or a page had a record that
  /// cannot be read, of any row.
  private(set) var isTorn = false
  private var pageCount = 0
  /// Whether all pages had a cursor, and all of them a validator: then they are the same, unless it is torn.
  private var hasCursors = false
  private var hasValidators = false
  /// Follows from which row was where.
  private(set) var order = 0
  /// The order of the reading before, if this one is to find the same.
  private let expectedOrder: Int?

  /// Whether the server had all pages at one moment, unless the reading is torn. One page is of one moment, and so are
  /// pages of one state. If the server does not name its states: of two readings that find all rows in the same places,
  /// all pages were there when the first ended and the second began.
  var isOfOneMoment: Bool { pageCount == 1 || hasCursors || hasValidators || order == expectedOrder }
  /// The rows so far that could not be kept.
  var refused = RefusedRecords<Record>()

  init(_ start: Position, _ reading: Int, confirming order: Int?) {
    self.start = start
    self.reading = reading
    expectedOrder = order
  }

  /// All that was on pages. O(them).
  var seen: Set<String> {
    var seen: Set<String> = []
    seen.reserveCapacity(pages.reduce(0) { $0 + $1.count })
    for page in pages { seen.formUnion(page) }
    return seen
  }

  /// A row was made that the server has now, on whichever page.
  mutating func made(_ id: String) { pages.append([id]) }

  /// With one page more.
  func adding(_ page: RemotePage<Record>, _ rows: PageRows<Record>) -> RemotePass {
    var pass = self
    pass.pages.append(rows.ids)
    pass.refused.drop(rows.ids + page.deletedIDs)
    pass.nextPage = page.nextPage
    if let cursor, let next = page.cursor, next != cursor { pass.isTorn = true }
    if let validator, let next = page.validator, next != validator { pass.isTorn = true }
    pass.hasCursors = (pageCount == 0 || hasCursors) && page.cursor != nil
    pass.hasValidators = (pageCount == 0 || hasValidators) && page.validator != nil
    pass.pageCount += 1
    var hasher = Hasher()
    hasher.combine(order)
    hasher.combine(rows.ids)
    pass.order = hasher.finalize()
    if rows.unreadable.contains(where: { $0.id == nil }) { pass.isTorn = true }
    pass.validator = validator ?? page.validator
    pass.cursor = cursor ?? page.cursor
    return pass
  }
}
