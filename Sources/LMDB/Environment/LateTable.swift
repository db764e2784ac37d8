import CRepriseLMDB
import RepriseSystem

/// A table that files of earlier versions lack. One that was not named when the environment was opened is never there.
package struct LateTable: Sendable {
  private let name: String
  private let place: Int?
  // Tables are known to many; the environment ends with its last owner.
  private unowned let environment: Environment

  fileprivate init(_ name: String, _ environment: Environment) {
    self.name = name
    self.environment = environment
    place = environment.options.lateTables.firstIndex(of: name)
  }

  /// The table, if this process knows it to be there.
  package var known: Table? {
    guard let place else { return nil }
    let dbi = environment.lateTables.withLock { $0[place] }
    return dbi == Self.none ? nil : table(dbi)
  }

  /// The table as the writer sees it: another process may have made it. Once that has committed, it is known.
  package func found(in transaction: borrowing WriteTransaction) throws(StorageError) -> Table? {
    if let known { return known }
    return try open(in: transaction, flags: 0)
  }

  /// The table, made by the writer if there is none. Once that has committed, it is known.
  package func made(in transaction: borrowing WriteTransaction) throws(StorageError) -> Table {
    if let known { return known }
    if let table = try open(in: transaction, flags: UInt32(MDB_CREATE)) { return table }
    throw .tableMissing(name: name, environment.site(.openTables))
  }

  private func open(
    in transaction: borrowing WriteTransaction, flags: UInt32
  ) throws(StorageError) -> Table? {
    guard let place, let dbi = try transaction.openTable(name, flags: flags) else { return nil }
    environment.tablesOfWriter.withLock { $0[place] = dbi }
    return table(dbi)
  }

  /// The table as a view sees it; `nil` if it is not there. Another process may have made it since this one opened the
  /// file: a snapshot then reads it in the map, by its name. This one may have made it since the snapshot was taken,
  /// which then does not have it, though its handle is known.
  package func seen(by view: View) throws(StorageError) -> Table? {
    if place == nil { return nil }
    guard view.isSnapshot else {
      if let known { return known }
      var dbi = Self.none
      let code = mdb_dbi_open(view.transaction, name, 0, &dbi)
      if code == MDB_NOTFOUND { return nil }
      if code != MDB_SUCCESS { throw StorageError(code: code, .openTables, transaction: view.transaction) }
      return table(dbi)
    }
    guard try isListed(in: view) else { return nil }
    if let known { return known }
    let mapped = table(Self.none)
    guard mapped.file?.tree(of: name, view.transaction) != nil else {
      throw .tableMissing(name: name, environment.site(.openTables))
    }
    return mapped
  }

  /// Whether LMDB's list of tables has it.
  private func isListed(in view: View) throws(StorageError) -> Bool {
    var (name, head) = (name, MDB_val())
    let code = name.withUTF8 { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return mdb_get(view.transaction, MappedFile.mainTable, &key, &head)
    }
    if code == MDB_NOTFOUND { return false }
    if code != MDB_SUCCESS { throw StorageError(code: code, .get, transaction: view.transaction) }
    return true
  }

  /// The table; `nil` if the file does not have it. Where it is not known, a write transaction looks for it, so it must
  /// not be called in one.
  package func found() throws(StorageError) -> Table? {
    if let known { return known }
    return try open(flags: 0)
  }

  /// The table, made if the file does not have it. Must not be called in a write transaction.
  package func made() throws(StorageError) -> Table {
    if let known { return known }
    if let table = try open(flags: UInt32(MDB_CREATE)) { return table }
    throw .tableMissing(name: name, environment.site(.openTables))
  }

  /// No table's handle: it is that of LMDB's own list of free pages.
  static let none: MDB_dbi = 0

  private func table(_ dbi: MDB_dbi) -> Table {
    Table(name: name, path: environment.directory, dbi: dbi, file: environment.mappedFile)
  }

  private func open(flags: UInt32) throws(StorageError) -> Table? {
    guard let place else { return nil }
    let dbi = try environment.write { (transaction) throws(StorageError) in
      try transaction.openTable(name, flags: flags)
    }
    guard let dbi else { return nil }
    // Only now: the handle of a transaction that did not commit is none.
    environment.lateTables.withLock { $0[place] = dbi }
    return table(dbi)
  }
}

extension Environment {
  /// What the writer opened is open once it has committed.
  func knowTablesOfWriter() {
    tablesOfWriter.withLock { made in
      for place in made.indices where made[place] != LateTable.none {
        lateTables.withLock { $0[place] = made[place] }
        made[place] = LateTable.none
      }
    }
  }

  /// A table that was named at open as one that may be missing.
  package func lateTable(_ name: String) -> LateTable { LateTable(name, self) }
}
