import RepriseCore

/// The objects of an entity that changed between two moments, for the marks in the grid.
struct RecentChanges {
  /// The most transactions that are read. A step over more of them has no marks.
  private static let mostTransactions = 1_000
  private var changed: [AnyObjectID: Set<String>] = [:]
  private var inserted: Set<AnyObjectID> = []

  init(of entity: Entity, after first: Position, upTo last: Position, _ store: Store) throws {
    guard first < last, last.number - first.number <= Self.mostTransactions else { return }
    let filter = TransactionFilter(entities: [entity.name])
    var position = first
    while position < last {
      position = position + 1
      let transaction: LoggedTransaction?
      // Without the older transactions, their changes have no marks.
      do {
        transaction = try store.log.transaction(at: position, matching: filter)
      } catch {
        if case .truncated = error { continue }
        throw error
      }
      guard let transaction else { continue }
      for change in transaction.changes {
        if change.kind == .inserted { inserted.insert(change.object) }
        changed[change.object, default: []].formUnion(change.properties.map(\.property))
      }
    }
  }

  func properties(of id: AnyObjectID) -> [String] { (changed[id] ?? []).sorted() }
  func hasInserted(_ id: AnyObjectID) -> Bool { inserted.contains(id) }
}
