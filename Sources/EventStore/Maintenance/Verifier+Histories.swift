import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Verifier {
  /// Verifies that each index that keeps history had at each position exactly the rows of its objects.
  mutating func verifyHistories(_ view: View) throws(StorageError) {
    var rows = HistoryRows(store.files.log, store.files.objects, head: head)
    var sums: [(index: UInt32, name: String, sum: RowSum)] = []
    for entity in schema.entities {
      for property in entity.properties where property.keepsHistory {
        guard let index = StoredIndex(property, of: entity) else { continue }
        let name = "\(entity.name).\(property.name)"
        do throws(StorageError) {
          guard let first = try verify(index, name, view) else { continue }
          try rows.add(index, of: entity.number, from: first.position, store.tables.indexes, view)
          sums.append((index.number, name, first.sum))
        } catch {
          guard let reason = error.damage else { throw error }
          found(.history(name, reason: reason))
        }
      }
    }
    if rows.isEmpty { return }
    try rows.undo(view)
    for (index, name, sum) in sums where rows.sum(of: index) != sum {
      found(.history(name, reason: HistoryProblem.rows.description))
    }
  }

  /// Verifies the structure of a history. Returns the first position that it has, and the sum of its rows from there
  /// on. `nil` if there is nothing to compare with the log.
  private mutating func verify(
    _ index: StoredIndex, _ name: String, _ view: View
  ) throws(StorageError) -> (position: Position, sum: RowSum)? {
    let history = IndexHistory(number: index.number, table: store.tables.indexes)
    var first: Position = 0
    switch try history.state(view) {
    case .kept(let start): first = start
    case .none, .building: break
    }
    // The removal of earlier nodes may not be complete.
    if let floor { first = max(first, floor.position - 1) }
    let (problems, sum) = try history.verify(from: first, in: view)
    for problem in problems { found(.history(name, reason: problem.description)) }
    guard problems.isEmpty, case .kept = try history.state(view) else {
      if problems.isEmpty { try verifyUnfinished(history, sum, name, view) }
      return nil
    }
    return (first, sum)
  }

  /// Verifies that a history that is being built has the rows of the index up to where it is.
  private mutating func verifyUnfinished(
    _ history: IndexHistory, _ sum: RowSum, _ name: String, _ view: View
  ) throws(StorageError) {
    guard try history.state(view) == .building else { return }
    if try history.sumOfBuilt(view) != sum { found(.history(name, reason: HistoryProblem.rows.description)) }
  }
}
