import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The files of a store that shares its log.
package struct SharedStore: Sendable {
  package let path: String
  package let environment: Environment
  package let tables: StoreTables
  package let logID: UniqueID
  package let keyframes: KeyframeSpacing

  package init(
    path: String, environment: Environment, tables: StoreTables, logID: UniqueID, keyframes: KeyframeSpacing
  ) {
    self.path = path
    self.environment = environment
    self.tables = tables
    self.logID = logID
    self.keyframes = keyframes
  }
}

extension SharedStore {
  /// Appends a transaction that gives the schema a new revision and changes nothing.
  package func appendRevision(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    var appender = try TransactionAppender(
      tables, logID: logID, map: .none, keyframes: keyframes, transaction.view)
    var schema = appender.map.stored
    schema.revision += 1
    try appender.append(schema, transaction)
    try appender.finish(transaction)
  }

  /// Work that has begun and not ended, and that only one machine may do. `nil` if there is none.
  package func unfinishedWork(_ view: View) throws(StorageError) -> String? {
    let meta = MetaTable(tables.meta)
    if try meta.migration(view) != nil { return "a migration of the store is under way" }
    return try meta.indexBuilds(view).isEmpty ? nil : "indexes of the store are being built"
  }
}

extension Store {
  /// Brings the installed projections up to date, in a commit that applies packets.
  package func advanceProjections(
    to head: Position, _ schema: StoredSchema, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let map = map.revision == schema.revision ? map : SchemaMap(map.schema, schema)
    try advanceProjections(to: head, map, transaction)
  }
}

extension Store {
  /// The log that the store shares. `nil` if it does not share its log, or is not open yet.
  package var logSharing: (any LogSharing)? { files.sharing }
}
