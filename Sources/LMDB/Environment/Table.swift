import CRepriseLMDB

/// A named B+tree of an environment. All tables are opened when the environment is, so a handle never goes stale before
/// `Environment.close()`. A handle is meaningless in another environment.
@frozen package struct Table: Sendable, Hashable {
  package let name: String
  /// The environment's directory.
  package let path: String
  package let dbi: MDB_dbi

  @usableFromInline init(name: String, path: String, dbi: MDB_dbi) {
    self.name = name
    self.path = path
    self.dbi = dbi
  }
}

extension Table {
  /// A row that is not what its reader expects, or is missing.
  package func damaged(_ key: [UInt8], _ reason: String) -> StorageError {
    .damagedRow(table: name, key: key, reason: reason, StorageError.Site(.decode, path))
  }

  /// The rows saved last are missing.
  package func lost(after last: UInt64, upTo saved: UInt64) -> StorageError {
    .rowsLost(table: name, last: last, saved: saved, StorageError.Site(.decode, path))
  }
}
