import Foundation
import RepriseLMDB
import XCTest

final class StorageErrorTextTests: XCTestCase {
  private var checked: Set<String> = []

  private func check(_ error: StorageError, _ failure: String, _ advice: String, line: UInt = #line) {
    XCTAssertEqual(error.description, "\(failure) (commit, /store). \(advice)", line: line)
    XCTAssertEqual(error.reason.dropFirst(), failure.dropFirst(), line: line)
    checked.formUnion(Mirror(reflecting: error).children.compactMap(\.label))
  }

  func testEveryFailureSaysWhatWhereAndWhatToDo() throws {
    let site = StorageError.Site(.commit, "/store")
    check(
      .keyExists(site), "The key exists already, or was appended out of order",
      "Nothing was changed. Read the entry first, or append in key order.")
    check(
      .badValueSize(site), "The key is empty or longer than 511 bytes, or the value is too long",
      "Nothing was changed. Write smaller values, or fewer in one transaction.")
    check(
      .badTable(site), "The table handle is from another environment",
      "Use the handles that this environment gave out.")
    check(
      .incompatibleTable(site), "The table exists with other flags than the ones requested",
      "Check the path: another program may have made the file.")
    check(
      .tableMissing(name: "data.mdb", site), "There is no table data.mdb",
      "Name the table at open, in an environment that is not read-only.")
    check(
      .badTransaction(site), "The transaction has failed or ended before",
      "Let the first error end the transaction, then begin another one.")
    check(.mapFull(site), "The map is full and cannot grow", "Free address space, or open with a larger map.")
    check(.tablesFull(site), "The environment was opened for fewer tables", "Name all tables at open.")
    check(
      .readersFull(site), "All reader slots are taken",
      "End read transactions sooner, or open with more reader slots.")
    check(
      .threadKeysFull(site), "The process has no thread-local key left (pthread_key_create)",
      "Delete thread-local keys that the program no longer uses, then try again.")
    check(
      .transactionFull(site), "The transaction changes too many pages",
      "Split the change into several transactions.")
    check(
      .cursorFull(site), "A tree is deeper than LMDB can walk",
      "Do not write to the file. Make a copy, and verify the copy.")
    check(
      .pageFull(site), "A page has no room for an entry that must fit",
      "Do not write to the file. Make a copy, and verify the copy.")
    check(.mapResized(site), "Another process keeps growing the file", "Try again.")
    check(
      .mapGrowthBlocked(liveTransactions: 2, site),
      "The memory map must grow, but 2 transactions of this process stay open",
      "End read transactions within milliseconds. Never hold one across a write.")
    check(
      .corrupted(site), "A page of data.mdb is damaged", "Do not write to the file. Make a copy, and verify the copy.")
    check(
      .damagedStructure("page 3 has no tree", site), "The pages of data.mdb are damaged: page 3 has no tree",
      "Nothing was touched. Restore a backup, or salvage from a copy.")
    check(
      .pageNotFound(site), "The file refers to a page that is not in it",
      "Do not write to the file. Make a copy, and verify the copy.")
    check(.notAnLMDBFile(site), "data.mdb is not an LMDB file", "Nothing was touched. Check the path.")
    check(
      .versionMismatch(site), "The LMDB library cannot read this version of data.mdb",
      "Open the data with the newer version that wrote it.")
    check(
      .newerFormat(found: 9, supported: 1, site), "The data has format 9, and this library reads formats up to 1",
      "Open the data with the newer version that wrote it.")
    check(
      .prereleaseFormat(site), "A version of Reprise before 0.1 wrote the data",
      "The version of Reprise that wrote the data can still read it. Start with a new store.")
    check(
      .shared(site), "Other machines share the data", "Open the data with a program that shares it.")
    check(
      .foreignPageSize(found: 9, site),
      "A meta page of data.mdb names the page size 9, which is invalid or differs from the other meta page",
      "Nothing was touched. Restore a backup, or salvage from a copy.")
    check(
      .foreignArchitecture(site), "data.mdb was written on a machine with another word size or byte order",
      "Export the data on that machine, and import it on this one.")
    check(
      .fileTruncated(expectedBytes: 8192, actualBytes: 4096, site),
      "data.mdb is cut off: it has 4096 bytes and refers to 8192",
      "Nothing was touched. Restore a backup, or salvage from a copy.")
    check(
      .fileDeleted(.data, site), "data.mdb was deleted or replaced while it was open",
      "The commit did not happen. Copy the data that you need, close the environment, and restore a backup.")
    check(
      .fileDeleted(.lock, site), "lock.mdb was deleted or replaced while it was open",
      "Nothing was written. Close the environment in all processes that had it open before, then open it again.")
    check(
      .fileReplaced(site), "The content of data.mdb was replaced while it was open",
      "Nothing was written. Close the environment in all processes, then open it again.")
    check(
      .busy(site), "Another process kept writing while the file was checked",
      "Try again when the process writes less, or close the environment there.")
    check(.inUse(site), "Another process has the environment open", "Close the environment in that process.")
    check(
      .sameProcessID(1, site),
      "Another process with the ID 1 has the environment open, probably in another container",
      "Give the processes different IDs: let the containers share one namespace of process IDs, or run one "
        + "process.")
    check(
      .writerBusy(process: 4710, thread: 4711, milliseconds: 30000, site),
      "Process 4710 has had the lock for writing for 30000 ms, in its thread 4711",
      "Nothing was changed. Let that process continue, or end it, and try again.")
    check(
      .cancelled(site), "The caller did not want to wait any longer for another process",
      "Nothing was changed. Try again.")
    check(
      .lockLost(site), "This process closed another descriptor of lock.mdb, which dropped its lock",
      "Nothing was changed. Try again, and let nothing else open the folder's files meanwhile.")
    check(
      .symbolicLink(name: "data.mdb", site), "data.mdb is a symbolic link",
      "Nothing was touched. Put the file itself in the place of the link, or make the whole directory a link.")
    check(
      .damagedRow(table: "objects", key: [1], reason: "it is cut off", site),
      "A row of the table objects is damaged: it is cut off",
      "Do not write to the file. Make a copy, and verify the copy.")
    check(
      .rowsLost(table: "objects", last: 4, saved: 6, site),
      "The table objects ends with the row 4, but the last row that was saved is 6",
      "Do not write to the file. Make a copy, and verify the copy.")
    check(
      .rowsDropped(table: "objects", row: 3, first: 7, site),
      "Row 3 of the table objects was deleted: the table now begins with row 7",
      "Use row 7 or a later one.")
    check(
      .foreignContents(reason: "it is cut off", site),
      "The tables do not belong to a Reprise store: it is cut off",
      "Nothing was touched. Check the path.")
    check(
      .foreignOrder(locale: "sv", site),
      "Rows are in an order of the locale 'sv' that this program does not have",
      "Close the store and open it again, which sorts the rows again.")
    check(
      .panic(site), "LMDB has closed the environment after an earlier failure",
      "Close the environment and open it again.")
    check(
      .badReaderSlot(site), "The transaction's reader slot belongs to another transaction",
      "End each transaction once.")
    check(
      .lockFileIncompatible(site), "lock.mdb is in use by an LMDB library that this one cannot work with",
      "Close the process that uses the other LMDB library, or let both processes use the same LMDB version.")
    check(.closed(site), "The environment is closed", "Open the environment again.")
    check(
      .forked(site), "The environment was opened by the parent of this forked process",
      "Open another environment in the child process, after exec.")
    check(
      .alreadyOpenWithOtherOptions(difference: "it is open with flushes", site),
      "This process has the environment open already, and it is open with flushes",
      "Close that environment and end its transactions, or open it with the same options and path.")
    check(
      .writeInsideWrite(site), "A write transaction was begun inside another on the same thread",
      "Use the outer transaction for the inner work.")
    check(.readOnlyEnvironment(site), "The environment is open read-only", "Open the environment for writing.")
    check(
      .commitOutcomeUnknown(errno: 5, site),
      "Writing the commit failed (errno 5), so it may or may not be in the file",
      "Close the environment, open it again, and check whether the commit is there.")
    check(
      .noSuchFile(site), "The file or directory does not exist",
      "Create the directory first, or open it with `createIfMissing`.")
    check(.notADirectory(site), "The path, or a part of it, is not a directory", "Name a directory.")
    check(
      .permissionDenied(site), "The system denies access",
      "Give the process the right to read and write the directory, data.mdb and lock.mdb.")
    check(.readOnlyFileSystem(site), "The file system is read-only", "Open the environment read-only.")
    check(.networkFileSystem(site), "The directory is on a network file system", "Keep the directory on a local disk.")
    check(
      .diskFull(site), "The disk is full",
      "The commit did not happen, and earlier ones stay. Free some space, then try again.")
    check(
      .fileTooLarge(site), "The file would grow beyond the limit of the process or the file system",
      "The commit did not happen, and earlier ones stay. Raise the limit, then try again.")
    check(
      .outOfMemory(site), "The system has no memory or address space left",
      "Free memory, files or threads in this process, or raise its limits.")
    check(
      .tooManyOpenFiles(site), "Too many files are open",
      "Free memory, files or threads in this process, or raise its limits.")
    check(
      .inputOutput(site), "The disk reported an I/O error",
      "The operation did not happen, and earlier commits stay. Check the disk.")
    check(
      .invalidArgument(site), "The system refused an argument of the call",
      "Check the path, the file system and the map size.")
    check(
      .system(errno: 5, site), "The system reported errno 5",
      "Check the disk, the free memory and the limits of the process, then try again.")
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let source = try String(
      contentsOf: sources.appendingPathComponent("Sources/LMDB/StorageError/StorageError.swift"), encoding: .utf8)
    let cases = source.matches(of: #/\n  case (\w+)/#).map { String($0.1) }
    XCTAssertEqual(checked.symmetricDifference(cases), [])
  }

  /// As a part of a sentence of another error.
  func testAReasonBeginsWithASmallLetterUnlessItIsAName() {
    let site = StorageError.Site(.open, "/store")
    XCTAssertEqual(StorageError.diskFull(site).reason, "the disk is full")
    XCTAssertEqual(
      StorageError.panic(site).reason, "LMDB has closed the environment after an earlier failure")
    XCTAssertEqual(StorageError.prereleaseFormat(site).reason, "a version of Reprise before 0.1 wrote the data")
  }
}
