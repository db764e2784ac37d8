import CRepriseLMDB

/// A named B+tree of an environment. All tables are opened when the environment is, so a handle never goes stale before
/// `Environment.close()`. A handle is meaningless in another environment.
@frozen @usableFromInline package struct Table: Sendable, Hashable {
  package let name: String
  /// The environment's directory.
  package let path: String
  package let dbi: MDB_dbi
  /// Where snapshots read it without LMDB. `nil` if they cannot.
  let file: MappedFile?

  init(name: String, path: String, dbi: MDB_dbi, file: MappedFile? = nil) {
    self.name = name
    self.path = path
    self.dbi = dbi
    self.file = file
  }

  @usableFromInline package static func == (left: Table, right: Table) -> Bool {
    left.dbi == right.dbi && left.path == right.path
  }

  @usableFromInline package func hash(into hasher: inout Hasher) {
    hasher.combine(dbi)
    hasher.combine(path)
  }
}

extension Table {
  /// A row that is missing, or that its reader cannot read.
  package func damaged(_ key: [UInt8], _ reason: String) -> StorageError {
    .damagedRow(table: name, key: key, reason: reason, StorageError.Site(.decode, path))
  }

  /// The rows saved last are missing.
  package func lost(after last: UInt64, upTo saved: UInt64) -> StorageError {
    .rowsLost(table: name, last: last, saved: saved, StorageError.Site(.decode, path))
  }

  /// The row was dropped together with the beginning of the table.
  package func dropped(_ row: UInt64, first: UInt64) -> StorageError {
    .rowsDropped(table: name, row: row, first: first, StorageError.Site(.decode, path))
  }
}
