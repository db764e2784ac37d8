import CRepriseLMDB

/// A table that is opened where it is used: most processes never need it, and each open table costs the opening of the
/// file. It is made with the file.
package struct LazyTable: Sendable {
  private let name: String
  // Tables are known to many. The environment ends with its last owner.
  private unowned let environment: Environment

  fileprivate init(_ name: String, _ environment: Environment) {
    self.name = name
    self.environment = environment
  }

  /// The table as a view sees it, for as long as the view lasts. A table that is missing is damage.
  ///
  /// The table of a snapshot works only with cursors and ``View/reader(_:)``, because the snapshot finds the table by
  /// its name in the mapped file. A snapshot cannot take a handle, because only one transaction of a process may open
  /// tables at a time. Where snapshots are read through LMDB, the opening of the file took the handles.
  package func table(_ view: View) throws(StorageError) -> Table {
    if view.isSnapshot, let file = environment.mappedFile {
      guard file.tree(of: name, view.transaction) != nil else { throw missing }
      return Table(name: name, path: environment.directory, dbi: Self.none, file: file)
    }
    var dbi = Self.none
    let code = mdb_dbi_open(view.transaction, name, 0, &dbi)
    if code == MDB_NOTFOUND { throw missing }
    if code != MDB_SUCCESS { throw StorageError(code: code, .openTables, transaction: view.transaction) }
    return Table(name: name, path: environment.directory, dbi: dbi, file: environment.mappedFile)
  }

  private var missing: StorageError { .damage(missingTable: name, environment.site(.openTables)) }

  /// An invalid handle, which every call of LMDB refuses.
  private static let none: MDB_dbi = .max
}

extension StorageError {
  /// The damage of a file that lacks a table, although it was made with it.
  package static func damage(missingTable name: String, _ site: Site) -> StorageError {
    .damagedStructure("the table '\(name)' is missing", site)
  }
}

extension Environment {
  /// A table of ``Options/lazyTables``.
  package func lazyTable(_ name: String) -> LazyTable { LazyTable(name, self) }
}
