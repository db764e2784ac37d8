import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One table of an environment that is being rewritten.
package struct TableRewrite: ~Copyable {
  package let name: String
  package let source: Table
  package let target: Table
}

extension Environment {
  /// Replaces the data file of an environment by a new one, written row by row and table by table. No page of the new
  /// file has bytes that were not copied. Otherwise like ``compact(directory:)``.
  ///
  /// - Parameters:
  ///   - last: The table to write last. All other tables come in order of their names.
  ///   - bytes: The size of other files whose rows are written, too.
  ///   - keepsOld: Whether the old file stays, see ``replaceFile(_:keepsOld:by:)``.
  ///   - write: Writes the rows of a table, by ascending keys. Not called for the table of after-images, which the new
  ///     file has without after-images.
  package static func rewrite<Failure: StorageErrorConvertible>(
    directory: String, last: String? = nil, adding bytes: Int = 0, keepsOld: Bool = false,
    _ write: (borrowing TableRewrite, borrowing View, borrowing WriteTransaction) throws(Failure) -> Void
  ) throws(Failure) -> (before: Int, after: Int) {
    try replaceFile(directory, keepsOld: keepsOld) { (file, unfinished) throws(Failure) in
      let status = file.facts
      let (old, new) = try Failure.converting { () throws(StorageError) in
        let old = try openUnlocked(directory, status, tables: 64)
        do throws(StorageError) {
          return (old, try makeEnvironment(unfinished, status, adding: bytes, directory))
        } catch {
          mdb_env_close(old)
          throw error
        }
      }
      defer {
        mdb_env_close(new)
        mdb_env_close(old)
      }
      try rewrite(old, to: new, directory, last, write)
    }
  }

  private static func rewrite<Failure: StorageErrorConvertible>(
    _ old: OpaquePointer, to new: OpaquePointer, _ directory: String, _ last: String?,
    _ write: (borrowing TableRewrite, borrowing View, borrowing WriteTransaction) throws(Failure) -> Void
  ) throws(Failure) {
    var failure = Int32(MDB_SUCCESS)
    func require(_ code: Int32) throws(Failure) {
      if code == MDB_SUCCESS { return }
      throw Failure(cutShort(StorageError(code: code, .copy, path: directory), directory))
    }
    var reading: OpaquePointer?
    try require(mdb_txn_begin(old, nil, UInt32(MDB_RDONLY), &reading))
    guard let reading else { return }
    defer { mdb_txn_abort(reading) }
    let view = View(unsafe: reading, isSnapshot: true)
    let names = try Failure.converting { () throws(StorageError) in try tableNames(view, directory) }
    for name in names.filter({ $0 != last }) + names.filter({ $0 == last }) {
      var writing: OpaquePointer?
      try require(mdb_txn_begin(new, nil, 0, &writing))
      guard let writing else { return }
      do throws(Failure) {
        var (source, target): (MDB_dbi, MDB_dbi) = (0, 0)
        try require(mdb_dbi_open(reading, name, 0, &source))
        try require(mdb_dbi_open(writing, name, UInt32(MDB_CREATE), &target))
        try withUnsafeMutablePointer(to: &failure) { (failure) throws(Failure) in
          let transaction = WriteTransaction(writing, failure: failure)
          let target = Table(name: name, path: directory, dbi: target)
          if name == ImagePlaces.table {
            try Failure.converting { () throws(StorageError) in try ImagePlaces.putNothing(target, transaction) }
          } else {
            try write(
              TableRewrite(name: name, source: Table(name: name, path: directory, dbi: source), target: target), view,
              transaction)
          }
        }
        try require(failure)
      } catch {
        mdb_txn_abort(writing)
        throw error
      }
      try require(mdb_txn_commit(writing))
    }
  }

  /// All rows of the unnamed table are tables.
  private static func tableNames(_ view: borrowing View, _ directory: String) throws(StorageError) -> [String] {
    var cursor = try view.cursor(Table(name: "", path: directory, dbi: 1))
    var names: [String] = []
    while let entry = try cursor.next() {
      names.append(entry.key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
    return names
  }

  /// An empty one, in a file, for this process alone.
  private static func makeEnvironment(
    _ path: String, _ like: stat, adding bytes: Int, _ directory: String
  ) throws(StorageError) -> OpaquePointer {
    try closeFile(makeFile(path, like, directory))
    var created: OpaquePointer?
    var code = mdb_env_create(&created)
    guard code == MDB_SUCCESS, let environment = created else {
      throw StorageError(code: code, .copy, path: directory)
    }
    // Pages of the new file are fuller than before, and redacted values are shorter.
    mdb_env_set_mapsize(environment, (Int(like.st_size) + bytes) * 2 + 1 << 24)
    mdb_env_set_maxdbs(environment, 64)
    code = mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS), 0o600)
    if code == MDB_SUCCESS { return environment }
    mdb_env_close(environment)
    throw cutShort(StorageError(code: code, .copy, path: directory), directory)
  }
}

extension TableRewrite {
  /// Another table of the environment that is being rewritten.
  package func otherSource(_ name: String, _ view: borrowing View) throws(StorageError) -> Table {
    var dbi: MDB_dbi = 0
    // Allowed in a snapshot: no other thread has the environment.
    let code = mdb_dbi_open(view.transaction, name, 0, &dbi)
    if code == MDB_NOTFOUND {
      throw .damagedStructure("the table '\(name)' is missing", StorageError.Site(.openTables, source.path))
    }
    if code != MDB_SUCCESS { throw StorageError(code: code, .openTables, path: source.path) }
    return Table(name: name, path: source.path, dbi: dbi)
  }

  /// Copies all rows except rows for which `isWanted` is false.
  ///
  /// - Parameter other: The table to copy, if it is not the source.
  package func copyRows(
    _ view: borrowing View, of other: Table? = nil, to transaction: borrowing WriteTransaction,
    where isWanted: (UnsafeRawBufferPointer) -> Bool = { _ in true }
  ) throws(StorageError) {
    var cursor = try view.cursor(other ?? source)
    while let entry = try cursor.next() {
      guard entry.key.withUnsafeBytes(isWanted) else { continue }
      try transaction.append(target, key: entry.key, value: entry.value)
    }
  }
}

private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }
