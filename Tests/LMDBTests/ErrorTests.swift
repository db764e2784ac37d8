import CRepriseLMDB
import Foundation
import RepriseLMDB
import XCTest

final class ErrorTests: XCTestCase {
  func testEveryCodeHasACaseOfItsOwn() {
    let codes = [
      MDB_KEYEXIST, MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_PANIC, MDB_VERSION_MISMATCH, MDB_INVALID, MDB_MAP_FULL,
      MDB_DBS_FULL, MDB_READERS_FULL, MDB_TLS_FULL, MDB_TXN_FULL, MDB_CURSOR_FULL, MDB_PAGE_FULL, MDB_MAP_RESIZED,
      MDB_INCOMPATIBLE, MDB_BAD_RSLOT, MDB_BAD_TXN, MDB_BAD_VALSIZE, MDB_BAD_DBI, ENOENT, ENOTDIR, EACCES, EROFS,
      ENOSPC, EFBIG, ENOMEM, EMFILE, EIO, EINVAL, ELOOP,
    ]
    let names = codes.map { StorageError(code: $0, .put, path: "/store").name }
    XCTAssertEqual(Set(names).count, codes.count, "\(names)")
    XCTAssertEqual(names.filter { $0 == "system" }.count, 1)
  }
}
