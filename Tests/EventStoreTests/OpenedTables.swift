import RepriseLMDB

@testable import RepriseEventStore

extension Store {
  /// A handle of a table that is opened late, good for as long as the store is open.
  func opened(_ table: LazyTable) throws -> Table {
    try environment.write { (transaction) throws(StorageError) in try table.table(transaction.view) }
  }
}
