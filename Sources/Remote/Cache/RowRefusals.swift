import RepriseObjectGraph
import RepriseQuery

/// The rows that a source could not keep, in a transaction.
final class RowRefusals {
  private let context: RootContext
  private let source: String
  private var known: [Key: RefusedRowEntry]?

  /// Rows without an identifier are distinguished by their reasons.
  private enum Key: Hashable {
    case id(String)
    case nameless(reason: String)

    init(_ row: RefusedRow) { self = row.id.map { .id($0) } ?? .nameless(reason: row.reason) }

    func isAmong(_ seen: Set<String>, _ nameless: Set<String>) -> Bool {
      switch self {
      case .id(let id): seen.contains(id)
      case .nameless(let reason): nameless.contains(reason)
      }
    }
  }

  init(_ context: RootContext, _ source: String) {
    self.context = context
    self.source = source
  }

  /// The entries are read once, because there are few.
  private func entries() throws -> [Key: RefusedRowEntry] {
    if let known { return known }
    let source = source
    let entries = try context.fetch(Fetch<RefusedRowEntry> { $0.source == source })
    let byKey = Dictionary(entries.map { (Key($0.snapshot), $0) }) { first, _ in first }
    known = byKey
    return byKey
  }

  /// Records a row. False if it is already recorded with the same reason.
  func add(_ row: RefusedRow) throws -> Bool {
    guard let entry = try entries()[Key(row)] else {
      known?[Key(row)] = context.insert(RefusedRowEntry(source, row.id, row.reason))
      return true
    }
    if entry.reason == row.reason { return false }
    entry.reason = row.reason
    return true
  }

  /// Removes the record of a row that is now accepted or deleted.
  func remove(_ id: String) throws {
    if let entry = try entries()[.id(id)] { remove(entry, .id(id)) }
  }

  /// Removes the records of all rows that were on no page.
  ///
  /// - Parameter nameless: The reasons for rows without an identifier.
  func removeMissing(_ seen: Set<String>, nameless: Set<String>) throws {
    for (key, entry) in try entries() where !key.isAmong(seen, nameless) { remove(entry, key) }
  }

  func hasMissing(_ seen: Set<String>, nameless: Set<String>) throws -> Bool {
    try entries().keys.contains { !$0.isAmong(seen, nameless) }
  }

  private func remove(_ entry: RefusedRowEntry, _ key: Key) {
    context.delete(entry)
    known?.removeValue(forKey: key)
  }
}
