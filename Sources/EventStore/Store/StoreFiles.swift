import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The files, tables and window of an open store.
final class StoreFiles: Sendable {
  let environment: Environment
  let tables: StoreTables
  let objects: ObjectTable
  let log: LogTable
  let logID: UniqueID
  let window: VersionWindow
  let journal: Journal
  /// The log that the store shares. `nil` for a store that has its log alone.
  let sharing: (any LogSharing)?

  init(
    _ environment: Environment, logID: UniqueID, window: VersionWindow, journal: Journal,
    sharing: (any LogSharing)? = nil
  ) {
    self.sharing = sharing
    self.environment = environment
    self.logID = logID
    self.window = window
    self.journal = journal
    tables = journal.tables
    objects = ObjectTable(tables)
    log = LogTable(tables.log)
  }

  /// The files of a store that is not open yet: an environment and a journal that refuse all use, as closed ones do,
  /// and an empty log.
  static let none: StoreFiles = {
    var options = Environment.Options(tables: StoreTables.names)
    options.lazyTables = StoreTables.lazyNames
    let environment = Environment.unopened(options)
    return StoreFiles(
      environment, logID: .zero, window: VersionWindow(head: 0, transactionID: 0, budget: 0),
      journal: Journal.closed(StoreTables(environment)))
  }()
}
