import RepriseEventStore

/// One reading of a list from its first page to its last. After it, the deleted rows are known. It keeps the
/// identifiers of all rows in memory.
struct RemotePass<Record: Sendable>: Sendable {
  /// The head when it began.
  let start: Position
  /// ``RemoteState/reading`` after the last page. If the store has another number, another reading came between the
  /// pages.
  var reading: Int
  /// The identifiers on each page, then the identifiers of rows that were made meanwhile. Stored by page, so that the
  /// cost of a page does not grow with earlier pages.
  private var pages: [[String]] = []
  /// The next request.
  private(set) var nextPage: String?
  /// The validator of the first page, so that changes during the reading are read again.
  private(set) var validator: String?
  private(set) var cursor: String?
  /// Whether rows that were on no page may still exist. The list changed while its pages were read, according to their
  /// cursors or validators. So rows may have moved to a page that was already read. Or a page had an unreadable record,
  /// which can be any row.
  private(set) var isTorn = false
  private var pageCount = 0
  /// Whether all pages had a cursor. They had the same one unless the reading is torn. Likewise for validators.
  private var hasCursors = false
  private var hasValidators = false
  /// A hash of the places of all rows.
  private(set) var order = 0
  /// The order that the previous reading found, if this one must confirm it.
  private let expectedOrder: Int?

  /// Whether all pages show the server at one moment, unless the reading is torn. One page does, and so do pages of one
  /// state. If the server does not name its states, two readings must find all rows in the same places. Then the pages
  /// show the moment between the two.
  var isOfOneMoment: Bool { pageCount == 1 || hasCursors || hasValidators || order == expectedOrder }
  /// The rows that the store has refused so far.
  var refused = RefusedRecords<Record>()

  init(_ start: Position, _ reading: Int, confirming order: Int?) {
    self.start = start
    self.reading = reading
    expectedOrder = order
  }

  /// The identifiers on all pages. O(identifiers).
  var seen: Set<String> {
    var seen: Set<String> = []
    seen.reserveCapacity(pages.reduce(0) { $0 + $1.count })
    for page in pages { seen.formUnion(page) }
    return seen
  }

  /// The server has made a row, which is on an unknown page.
  mutating func made(_ id: String) { pages.append([id]) }

  /// The reading with one more page.
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
