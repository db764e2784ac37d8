import CRepriseLMDB

extension WriteTransaction {
  /// A table besides those that were named when the environment was opened; made if there is none. Once this
  /// transaction has committed, it is good for all later ones of this process.
  package func makeTable(_ name: String, of environment: Environment) throws(StorageError) -> Table {
    guard let dbi = try openTable(name, flags: UInt32(MDB_CREATE)) else { throw failed(MDB_NOTFOUND, .openTables) }
    return Table(name: name, path: environment.directory, dbi: dbi, file: environment.mappedFile)
  }

  /// The same, if there is one.
  package func existingTable(_ name: String, of environment: Environment) throws(StorageError) -> Table? {
    try openTable(name, flags: 0).map {
      Table(name: name, path: environment.directory, dbi: $0, file: environment.mappedFile)
    }
  }

  /// In a write transaction alone: no two may open tables at once.
  func openTable(_ name: String, flags: UInt32) throws(StorageError) -> MDB_dbi? {
    var dbi: MDB_dbi = 0
    let code = mdb_dbi_open(transaction, name, flags, &dbi)
    if code == MDB_NOTFOUND { return nil }
    if code != MDB_SUCCESS { throw failed(code, .openTables) }
    return dbi
  }
}
