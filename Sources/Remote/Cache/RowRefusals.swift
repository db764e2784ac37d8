import RepriseObjectGraph
import RepriseQuery

/// The rows that a source could not keep, in a transaction.
final class RowRefusals {
  private let context: RootContext
  private let source: String
  private var known: [String?: RefusedRowEntry]?

  init(_ context: RootContext, _ source: String) {
    self.context = context
    self.source = source
  }

  /// Read once, as there are few if any.
  private func entries() throws -> [String?: RefusedRowEntry] {
    if let known { return known }
    let source = source
    let entries = try context.fetch(Fetch<RefusedRowEntry> { $0.source == source })
    let byID = Dictionary(entries.map { ($0.remoteID, $0) }) { first, _ in first }
    known = byID
    return byID
  }

  /// Notes a row; false if it is noted already, for the same reason.
  func add(_ row: RefusedRow) throws -> Bool {
    guard let entry = try entries()[row.id] else {
      known?[row.id] = context.insert(RefusedRowEntry(source, row.id, row.reason))
      return true
    }
    if entry.reason == row.reason { return false }
    entry.reason = row.reason
    return true
  }

  /// The row is there, or gone.
  func remove(_ id: String?) throws {
    if let entry = try entries()[id] { remove(entry, id) }
  }

  /// All rows are gone that were on no page.
  func removeMissing(_ pass: RemotePass, _ seen: Set<String>) throws {
    for (id, entry) in try entries() where id.map({ !seen.contains($0) }) ?? !pass.hasNameless { remove(entry, id) }
  }

  private func remove(_ entry: RefusedRowEntry, _ id: String?) {
    context.delete(entry)
    known?.removeValue(forKey: id)
  }
}
