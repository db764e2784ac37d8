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

  /// The table as the writer sees it: another process may have made it.
  package func found(in transaction: borrowing WriteTransaction) throws(StorageError) -> Table? {
    if let known { return known }
    return place == nil ? nil : try transaction.openTable(name, flags: 0).map { table($0) }
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
  /// A table that was named at open as one that may be missing.
  package func lateTable(_ name: String) -> LateTable { LateTable(name, self) }
}
