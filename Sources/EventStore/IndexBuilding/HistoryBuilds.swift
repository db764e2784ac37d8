import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Completes the histories of indexes in short commits, one after the other.
///
/// A history is begun and not complete if the index had many rows when the models first asked for the history. After a
/// rebuild or an erasure, a history is not begun at all. Several processes may complete the same history at the same
/// time. Each commit reads how far the history is, and then adds the next rows of the index.
final class HistoryBuilds {
  private let environment: Environment
  private let tables: StoreTables
  private let options: IndexingOptions
  private let isCancelled: () -> Bool
  private var limit: Int
  /// The wait before the next step, in nanoseconds, as for ``IndexBuilds``.
  private(set) var pause: UInt64 = 0

  init(
    _ environment: Environment, _ tables: StoreTables, _ options: IndexingOptions,
    unless isCancelled: @escaping () -> Bool = { false }
  ) {
    self.environment = environment
    self.tables = tables
    self.options = options
    self.isCancelled = isCancelled
    limit = options.rows
  }

  /// Takes the next step. True if all histories are complete.
  func step() throws(StoreError) -> Bool {
    options.onStep?()
    pause = 0
    let next = try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in
        try tables.unfinishedHistory(try MetaTable(tables.meta).schema(transaction.view), transaction.view)
      }
    }
    guard let next else { return true }
    let waiting = WakeUp.now()
    var begun = waiting
    try environment.write(unless: { _ in isCancelled() }) { (transaction) throws(StoreError) in
      begun = WakeUp.now()
      try StoreError.converting { () throws(StorageError) in try take(next, transaction) }
    }
    let held = WakeUp.now() - begun
    if held > options.nanoseconds {
      limit = max(min(64, options.rows), limit / 2)
    } else if held < options.nanoseconds / 2 {
      limit = min(max(options.mostRows, options.rows), limit * 2)
    }
    pause = options.pause(after: held)
    return false
  }

  private func take(_ number: UInt32, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let view = transaction.view
    // Another process may have finished it, or removed the index.
    guard try tables.unfinishedHistory(try MetaTable(tables.meta).schema(view), view) == number else { return }
    let history = IndexHistory(number: number, table: tables.indexes)
    let head = try LogTable(tables.log).lastPosition(view)
    if try history.state(view) == .none { try history.begin(at: head, in: transaction) }
    _ = try history.build(limit: limit, from: head, in: transaction)
  }
}

extension StoreTables {
  /// The number of the first index whose history is not complete. `nil` if there is none.
  func unfinishedHistory(_ schema: StoredSchema, _ view: View) throws(StorageError) -> UInt32? {
    for entity in schema.entities {
      for property in entity.properties where property.keepsHistory {
        guard let number = property.index else { continue }
        guard case .kept = try IndexHistory(number: number, table: indexes).state(view) else { return number }
      }
    }
    return nil
  }

  /// Begins the histories that indexes of a schema lack.
  ///
  /// - Parameters:
  ///   - known: The schema before the last transaction, which may have added the indexes.
  ///   - atOnce: Such histories are complete at once if their entity has at most this number of objects.
  func beginHistories(
    _ schema: StoredSchema, after known: StoredSchema, atOnce: Int, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for entity in schema.entities {
      for property in entity.properties where property.keepsHistory {
        guard let number = property.index else { continue }
        let history = IndexHistory(number: number, table: indexes)
        guard try history.state(transaction.view) == .none else { continue }
        let head = try LogTable(log).lastPosition(transaction.view)
        // A new entity had no objects before, so the history reaches back to the beginning of the log.
        let start = known.entity(number: entity.number) == nil ? 0 : head
        try history.begin(at: start, in: transaction)
        guard try MetaTable(meta).count(of: entity.number, transaction.view) <= atOnce else { continue }
        while try !history.build(limit: 10_000, from: start, in: transaction) {}
      }
    }
  }
}
