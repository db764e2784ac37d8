import CRepriseLMDB

extension WriteTransaction {
  /// A table besides those that were named when the environment was opened; made if there is none. Once this
  /// transaction has committed, it is good for all later ones of this process.
  package func makeTable(_ name: String, of path: String) throws(StorageError) -> Table {
    var dbi: MDB_dbi = 0
    let code = mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &dbi)
    if code != MDB_SUCCESS { throw failed(code, .openTables) }
    return Table(name: name, path: path, dbi: dbi)
  }

  /// The same, if there is one.
  package func existingTable(_ name: String, of path: String) throws(StorageError) -> Table? {
    var dbi: MDB_dbi = 0
    let code = mdb_dbi_open(transaction, name, 0, &dbi)
    if code == MDB_NOTFOUND { return nil }
    if code != MDB_SUCCESS { throw failed(code, .openTables) }
    return Table(name: name, path: path, dbi: dbi)
  }
}
