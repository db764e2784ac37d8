import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The commit after the last one, if a power cut or a kill interrupted it. The next opening for writing repeats it.
package struct InterruptedCommit {
  let image: AfterImage

  /// The number of LMDB's transaction.
  package var number: Int { image.commit }

  /// Makes the commit in a file that nobody has open, and flushes it.
  ///
  /// - Parameters:
  ///   - path: The environment of the commit, or a copy of it.
  ///   - directory: The directory of the environment, for errors.
  package func `repeat`(inCopy path: String, _ directory: String) throws(StorageError) {
    func require(_ code: Int32) throws(StorageError) {
      if code != MDB_SUCCESS {
        throw Environment.cutShort(StorageError(code: code, .copy, path: directory), directory)
      }
    }
    var created: OpaquePointer?
    try require(mdb_env_create(&created))
    guard let environment = created else { return }
    defer { mdb_env_close(environment) }
    var status = stat()
    // LMDB refuses a path without a file, too.
    if stat(path, &status) != 0 { throw StorageError(code: errno, .copy, path: directory) }
    // The rows of one after-image take less room.
    mdb_env_set_mapsize(environment, Int(status.st_size) + 1 << 24)
    mdb_env_set_maxdbs(environment, 64)
    try require(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS), 0o600))
    var begun: OpaquePointer?
    try require(mdb_txn_begin(environment, nil, 0, &begun))
    guard let transaction = begun else { return }
    var failure = Int32(MDB_SUCCESS)
    do throws(StorageError) {
      try withUnsafeMutablePointer(to: &failure) { (failure) throws(StorageError) in
        try image.apply(to: WriteTransaction(transaction, failure: failure), directory)
      }
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try require(mdb_txn_commit(transaction))
  }
}

extension Environment {
  /// The commit that this environment lacks if it is open for reading only.
  package func interruptedCommit() throws(StorageError) -> InterruptedCommit? {
    try DataFile(sharing: dataDescriptor, directory).interruptedCommit().map { InterruptedCommit(image: $0) }
  }
}
