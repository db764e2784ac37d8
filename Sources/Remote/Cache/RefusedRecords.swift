/// The rows of a reading that the store has refused so far. The obstacle may disappear or get another value once all
/// pages are read. So they are tried again with the last page, because the server need not send them twice.
struct RefusedRecords<Record: Sendable>: Sendable {
  /// The most refused rows to keep. If there are more, the obstacle is not another row.
  private static var limit: Int { 1_000 }

  private var rows: [(id: String, record: Record)] = []
  /// The reasons for refused rows without an identifier.
  private(set) var nameless: Set<String> = []

  var records: [Record] { rows.map(\.record) }

  /// A page has newer states of these rows, or reports them as deleted.
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
  /// The rows that the transport could not read.
  let unreadable: [RefusedRow]
  /// The identifiers of the readable and the unreadable rows.
  let ids: [String]

  init(_ page: RemotePage<Record>, validID: (Record) -> String?, normalID: (String) -> String?) {
    records = page.records
    unreadable = page.unreadable.map { RefusedRow(id: $0.id.flatMap(normalID), reason: $0.reason) }
    ids = records.compactMap(validID) + unreadable.compactMap(\.id)
  }
}
