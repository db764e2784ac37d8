/// The rows of a reading that could not be kept so far. What stands in their way may be gone, or have another value,
/// once all pages are there: with the last one they are tried again, for the server need not send them a second time.
struct RefusedRecords<Record: Sendable>: Sendable {
  /// Where more are refused, it is no row that stands in the way of another.
  private static var limit: Int { 1_000 }

  private var rows: [(id: String, record: Record)] = []
  /// Why those were refused that have no identifier.
  private(set) var nameless: Set<String> = []

  var records: [Record] { rows.map(\.record) }

  /// A page has these rows as they are by now, or says that they are gone.
  mutating func drop(_ ids: [String]) {
    if rows.isEmpty { return }
    let ids = Set(ids)
    rows.removeAll { ids.contains($0.id) }
  }

  mutating func add(_ refusal: RefusedRow, _ record: Record?) {
    guard let id = refusal.id else {
      nameless.insert(refusal.reason)
      return
    }
    if let record, rows.count < Self.limit { rows.append((id, record)) }
  }
}

/// The rows of a page, as a mapping knows them.
struct PageRows<Record: Sendable>: Sendable {
  let records: [Record]
  /// Those that the transport could not read.
  let unreadable: [RefusedRow]
  /// The identifiers of both.
  let ids: [String]

  init(_ page: RemotePage<Record>, validID: (Record) -> String?, normalID: (String) -> String?) {
    records = page.records
    unreadable = page.unreadable.map { RefusedRow(id: $0.id.flatMap(normalID), reason: $0.reason) }
    ids = records.compactMap(validID) + unreadable.compactMap(\.id)
  }
}
