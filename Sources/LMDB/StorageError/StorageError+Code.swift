import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension StorageError {
  package init(code: Int32, _ operation: Operation, path: String) {
    let site = Site(operation, path)
    self =
      switch code {
      case MDB_KEYEXIST: .keyExists(site)
      case MDB_PAGE_NOTFOUND: .pageNotFound(site)
      case MDB_CORRUPTED: .corrupted(site)
      case MDB_PANIC: .panic(site)
      case MDB_VERSION_MISMATCH: .versionMismatch(site)
      case MDB_INVALID: .notAnLMDBFile(site)
      case MDB_MAP_FULL: .mapFull(site)
      case MDB_DBS_FULL: .tablesFull(site)
      case MDB_READERS_FULL: .readersFull(site)
      case MDB_TLS_FULL: .threadKeysFull(site)
      case MDB_TXN_FULL: .transactionFull(site)
      case MDB_CURSOR_FULL: .cursorFull(site)
      case MDB_PAGE_FULL: .pageFull(site)
      case MDB_MAP_RESIZED: .mapResized(site)
      case MDB_INCOMPATIBLE: .incompatibleTable(site)
      case MDB_BAD_RSLOT: .badReaderSlot(site)
      case MDB_BAD_TXN: .badTransaction(site)
      case MDB_BAD_VALSIZE: .badValueSize(site)
      case MDB_BAD_DBI: .badTable(site)
      case ENOENT: .noSuchFile(site)
      case ENOTDIR: .notADirectory(site)
      case EACCES, EPERM: .permissionDenied(site)
      case EROFS: .readOnlyFileSystem(site)
      case ENOSPC, EDQUOT: .diskFull(site)
      case EFBIG: .fileTooLarge(site)
      case ENOMEM: .outOfMemory(site)
      case EMFILE, ENFILE: .tooManyOpenFiles(site)
      case EIO: .inputOutput(site)
      case EINVAL: .invalidArgument(site)
      default: .system(errno: code, site)
      }
  }

  init(code: Int32, _ operation: Operation, transaction: OpaquePointer) {
    self.init(code: code, operation, path: environmentPath(mdb_txn_env(transaction)))
  }

  init(code: Int32, _ operation: Operation, cursor: OpaquePointer) {
    self.init(code: code, operation, path: environmentPath(mdb_txn_env(mdb_cursor_txn(cursor))))
  }
}

func environmentPath(_ environment: OpaquePointer?) -> String {
  var path: UnsafePointer<CChar>?
  guard let environment, mdb_env_get_path(environment, &path) == MDB_SUCCESS, let path else { return "" }
  return String(cString: path)
}
