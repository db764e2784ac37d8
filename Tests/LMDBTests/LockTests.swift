import Foundation
import RepriseTestProcesses
@testable import RepriseLMDB
import XCTest

/// LMDB's locks belong to the process, and the system drops them when the process closes any descriptor of `lock.mdb`.
final class LockTests: EnvironmentTestCase {
  private var lockFile: String { directory + "/lock.mdb" }

  /// As a copy of the store's folder does.
  private func readLockFile() throws { _ = try Data(contentsOf: URL(fileURLWithPath: lockFile)) }

  /// LMDB lets the next process use the file as it is.
  func testALockFileOfAKilledMakerIsMadeAgain() throws {
    let environment = try open()
    for number in 1...11 { try environment.put(environment["t"], "a", "\(number)") }
    environment.close()
    try openAfterAKilledMaker(reads: "11")
  }

  /// Its only commit has the number 1. LMDB would take the empty meta page, and new tables would overwrite the others.
  func testALockFileOfACompactedStoreIsMadeAgain() throws {
    let environment = try open()
    for number in 1...11 { try environment.put(environment["t"], "a", "\(number)") }
    environment.close()
    _ = try Environment.compact(directory: directory)
    XCTAssertEqual(try openAfterAKilledMaker(reads: "11"), 1)
  }

  /// Returns the number of the last commit that the opener finds.
  @discardableResult private func openAfterAKilledMaker(reads value: String) throws -> Int {
    let first = try open()
    let commit = try first.read { (snapshot) throws(StorageError) in snapshot.id }
    first.close()
    try "\(commit)".write(toFile: directory + "/commit", atomically: false, encoding: .utf8)
    let child = try ChildProcess("die while making the lock file", in: directory)
    XCTAssertEqual(child.heard(), "made")
    defer { child.end() }
    let second = try open()
    defer { second.close() }
    XCTAssertEqual(try second.string(second["t"], "a"), value)
    try second.put(second["t"], "a", "12")
    XCTAssertEqual(try second.read { (snapshot) throws(StorageError) in snapshot.id }, commit + 1)
    return commit
  }

  func testReadingTheLockFileKeepsOwnReadersKnown() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    let reader = try environment.beginRead()
    try readLockFile()
    let child = try ChildProcess("tell the readers", in: directory)
    XCTAssertEqual(child.heard(), String(getpid()))
    child.end()
    XCTAssertEqual(try reader.view.string(environment["t"], "a"), "1")
  }

  /// The other process frees the slots of readers whose process does not live.
  func testReadingTheLockFileKeepsOwnReadersAlive() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    let other = try ChildProcess("hold readers", in: directory)
    _ = other.heard()
    let reader = try environment.beginRead()
    try readLockFile()
    let child = try ChildProcess("tell the readers", in: directory)
    XCTAssertEqual(child.heard()?.split(separator: " ").contains("\(getpid())"), true)
    child.end()
    other.end()
    XCTAssertEqual(try reader.view.string(environment["t"], "a"), "1")
  }

  func testReadingTheLockFileWhileOthersWriteLosesNothing() throws {
    let environment = try open()
    try environment.put(environment["t"], "number", "0")
    let child = try ChildProcess("count and read the lock file", in: directory)
    XCTAssertEqual(child.heard(), "counting")
    environment.close()
    for _ in 0..<20 {
      let again = try open()
      for _ in 0..<10 { try again.count() }
      again.close()
    }
    XCTAssertEqual(child.heard(), "counted")
    child.end()
    let last = try open()
    XCTAssertEqual(try last.string(last["t"], "number"), "\(20 * 10 + 2_000)")
  }

  func testDeletedLockFileRefusesWrites() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    XCTAssertEqual(unlink(lockFile), 0)
    XCTAssertThrowsError(try environment.put(environment["t"], "a", "2")) {
      XCTAssertEqual(
        $0 as? StorageError, .fileDeleted(.lock, StorageError.Site(.beginWrite, directory)))
    }
    XCTAssertEqual(try environment.string(environment["t"], "a"), "1")
    environment.close()
    let again = try open()
    try again.put(again["t"], "a", "3")
    XCTAssertEqual(try again.string(again["t"], "a"), "3")
  }

  /// The next process to open the environment makes another lock file, and neither sees the other's lock for writing.
  func testAMovedLockFileIsNoticedBeforeASaveIsLost() throws {
    let aside = lockFile + ".aside"
    for isMadeAgain in [false, true] {
      let environment = try open()
      try environment.put(environment["t"], "a", "1")
      XCTAssertEqual(rename(lockFile, aside), 0)
      if isMadeAgain {
        let child = try ChildProcess("write", in: directory)
        XCTAssertEqual(child.heard(), "written")
        child.end()
      }
      XCTAssertThrowsError(try environment.put(environment["t"], "a", "lost")) {
        XCTAssertEqual(
          $0 as? StorageError, .fileDeleted(.lock, StorageError.Site(.beginWrite, directory)))
      }
      environment.close()
      XCTAssertEqual(unlink(aside), 0)
      let again = try open()
      XCTAssertEqual(try again.string(again["t"], "a"), "1")
      XCTAssertEqual(try again.string(again["t"], "of the child"), isMadeAgain ? "1" : nil)
      again.close()
    }
  }

  /// A copy of the folder by links keeps the file, and its name may go.
  func testALinkedLockFileIsMissedWhereItWas() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    try FileManager.default.linkItem(atPath: lockFile, toPath: lockFile + ".link")
    try environment.put(environment["t"], "a", "2")
    XCTAssertEqual(unlink(lockFile), 0)
    XCTAssertThrowsError(try environment.put(environment["t"], "a", "lost")) {
      XCTAssertEqual(($0 as? StorageError)?.name, "fileDeleted")
    }
    XCTAssertEqual(try environment.string(environment["t"], "a"), "2")
  }

  /// Two first processes of two containers.
  func testTwoProcessesWithOneIDAreToldApart() throws {
    let launcher = ["/usr/bin/unshare", "--fork", "--pid"]
    try open().close()
    guard FileManager.default.isExecutableFile(atPath: launcher[0]),
      let first = try? ChildProcess("hold readers", in: directory, through: launcher),
      first.heard()?.hasPrefix("holding") == true
    else { throw XCTSkip("the system gives no namespace of process IDs") }
    let watcher = try open()
    func held() throws -> Int { try watcher.readers().count { $0.process == 1 && $0.transactionID != nil } }
    let before = try held()
    XCTAssertGreaterThan(before, 0)
    let second = try ChildProcess("open", in: directory, through: launcher)
    XCTAssertEqual(second.heard(), "error sameProcessID")
    XCTAssertEqual(try held(), before, "the refused process freed snapshots of the first one")
    second.end()
    watcher.close()
    first.end()
    let third = try ChildProcess("open", in: directory, through: launcher)
    XCTAssertEqual(third.heard(), "read nothing")
    third.end()
  }

  func testTheThreadThatWritesIsKnown() throws {
    let environment = try open()
    XCTAssertNil(environment.locks.writer)
    try environment.write { (_) throws(StorageError) in
      XCTAssertNotNil(environment.locks.writer)
    }
    XCTAssertNil(environment.locks.writer)
    let child = try ChildProcess("die in a write", in: directory)
    XCTAssertEqual(child.heard(), "writing")
    XCTAssertEqual(environment.locks.writer, child.identifier)
    child.kill()
    XCTAssertNil(environment.locks.writer)
    try environment.put(environment["t"], "a", "1")
  }

  /// Stopped between writing its meta page and telling of its commit. It may go on.
  func testOpeningDoesNotWaitForAStoppedWriter() throws {
    let environment = try open()
    for number in 0..<4 { try environment.put(environment["t"], "a", "\(number)") }
    let child = try ChildProcess("die in a write", in: directory)
    XCTAssertEqual(child.heard(), "writing")
    // As if the last commit was not told of.
    try setLastCommit { $0 - 1 }
    let isDone = expectation(description: "open")
    Thread.detachNewThread {
      try? environment.bringToLight()
      isDone.fulfill()
    }
    wait(for: [isDone], timeout: 30)
    XCTAssertEqual(try environment.string(environment["t"], "a"), "2")
    child.kill()
    try environment.bringToLight()
    XCTAssertEqual(try environment.string(environment["t"], "a"), "3")
  }

  private func setLastCommit(_ change: (UInt64) -> UInt64) throws {
    let place = 8 + MemoryLayout<pthread_mutex_t>.size
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: lockFile))
    try file.seek(toOffset: UInt64(place))
    let bytes = try XCTUnwrap(file.read(upToCount: 8))
    let number = change(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
    try file.seek(toOffset: UInt64(place))
    try file.write(contentsOf: withUnsafeBytes(of: number) { Data($0) })
    try file.close()
  }

  func testCompactionThatLostItsLockChangesNothing() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    environment.close()
    XCTAssertThrowsError(
      try Environment.compact(directory: directory) { progress in
        if progress == 1 { try? self.readLockFile() }
      }
    ) { XCTAssertEqual(($0 as? StorageError)?.name, "lockLost") }
    XCTAssertFalse(FileManager.default.fileExists(atPath: dataFile + ".unfinished"))
    _ = try Environment.compact(directory: directory)
    let again = try open()
    XCTAssertEqual(try again.string(again["t"], "a"), "1")
  }

  func testReplacedContentIsNeitherReadNorWritten() throws {
    for commits in [1, 2, 5] {
      let environment = try open()
      let table = environment["t"]
      try environment.put(table, "a", "old")
      _ = try environment.string(table, "a")
      let backup = try Data(contentsOf: URL(fileURLWithPath: dataFile))
      for number in 0..<commits { try environment.put(table, "a", "\(number)") }
      try overwriteData(with: backup)
      let site = { StorageError.Site($0, self.directory) }
      XCTAssertThrowsError(try environment.string(table, "a")) {
        XCTAssertEqual($0 as? StorageError, .fileReplaced(site(.beginRead)))
      }
      XCTAssertThrowsError(try environment.put(table, "a", "lost")) {
        XCTAssertEqual($0 as? StorageError, .fileReplaced(site(.beginWrite)))
      }
      environment.close()
      let again = try open()
      XCTAssertEqual(try again.string(again["t"], "a"), "old")
      again.close()
    }
  }

  func testReplacedContentOfALaterCommitIsNotRead() throws {
    let environment = try open()
    let table = environment["t"]
    for number in 0..<4 { try environment.put(table, "a", "\(number)") }
    let later = try Data(contentsOf: URL(fileURLWithPath: dataFile))
    environment.close()
    for name in ["data.mdb", "lock.mdb"] { unlink(directory + "/" + name) }
    let again = try open()
    try again.put(again["t"], "a", "first")
    _ = try again.string(again["t"], "a")
    try overwriteData(with: later)
    XCTAssertThrowsError(try again.string(again["t"], "a")) {
      XCTAssertEqual(($0 as? StorageError)?.name, "fileReplaced")
    }
  }

  /// The other process keeps the lock file, which has the number of the last commit of the former data file. LMDB takes
  /// the meta page for that number, and in a backup every second number has an empty one.
  func testABackupBelowAnotherProcessIsNotMadeNew() throws {
    let backup = try compactedCopy(["a": "restored"])
    for commits in 2...5 {
      try removeFiles()
      let former = try open()
      for number in 0..<commits { try former.put(former["t"], "a", "\(number)") }
      former.close()
      let child = try ChildProcess("hold readers", in: directory)
      XCTAssertEqual(child.heard()?.hasPrefix("holding"), true)
      try backup.write(to: URL(fileURLWithPath: directory + "/restored"))
      XCTAssertEqual(rename(directory + "/restored", dataFile), 0)
      XCTAssertThrowsError(try openAndRead(), "after \(commits) commits") {
        XCTAssertEqual(($0 as? StorageError)?.name, "fileReplaced")
      }
      XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: dataFile)), backup, "after \(commits) commits")
      child.end()
      XCTAssertEqual(try openAndRead(), "restored")
    }
  }

  /// LMDB uses the meta page with the later number. In a backup, the other one is empty.
  func testATableBehindAFlippedBitIsNotMadeNew() throws {
    var bytes = try compactedCopy(["a": "kept"])
    let place = Int(getpagesize()) + MetaPage.transactionOffset
    XCTAssertEqual(bytes[place], 1)
    bytes[place] = 0
    try removeFiles()
    try bytes.write(to: URL(fileURLWithPath: dataFile))
    XCTAssertThrowsError(try open { $0.addsTables = false }.close()) {
      XCTAssertEqual(
        $0 as? StorageError,
        .damagedStructure(
          "the meta page that LMDB uses has no tables, but the other meta page has some",
          StorageError.Site(.openTables, directory)))
    }
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: dataFile)), bytes)
  }

  private func openAndRead() throws -> String? {
    let environment = try open()
    defer { environment.close() }
    return try environment.string(environment["t"], "a")
  }

  /// All compacted copies have the number 1, and two of one size have the same meta pages.
  func testReplacedContentOfTheSameNumberIsNoticed() throws {
    let early = try compactedCopy(["a": "yesterday's content"])
    let late = try compactedCopy(["a": "this week's content"])
    XCTAssertEqual(early.prefix(2 * Int(getpagesize())), late.prefix(2 * Int(getpagesize())))
    let rows = (0..<300).map { ("\($0)", String(repeating: "x", count: 100)) }
    let larger = try compactedCopy(Dictionary(uniqueKeysWithValues: rows))
    let cases: [(Data, RowName)] = [(late, RowName(table: "t", key: Array("a".utf8))), (larger, .none)]
    for (later, row) in cases {
      try removeFiles()
      try early.write(to: URL(fileURLWithPath: dataFile))
      let environment = try open { $0.tellingRow = row }
      XCTAssertEqual(try environment.string(environment["t"], "a"), "yesterday's content")
      XCTAssertEqual(try environment.string(environment["t"], "a"), "yesterday's content")
      try overwriteData(with: later)
      XCTAssertThrowsError(try environment.string(environment["t"], "a"), "\(later.count) bytes") {
        XCTAssertEqual(($0 as? StorageError)?.name, "fileReplaced")
      }
      XCTAssertThrowsError(try environment.put(environment["t"], "a", "lost"), "\(later.count) bytes") {
        XCTAssertEqual(($0 as? StorageError)?.name, "fileReplaced")
      }
      environment.close()
    }
  }

  private func compactedCopy(_ rows: [String: String]) throws -> Data {
    try removeFiles()
    let environment = try open()
    for (key, value) in rows { try environment.put(environment["t"], key, value) }
    let copy = URL(fileURLWithPath: directory + "/copy")
    try Data().write(to: copy)
    let file = try FileHandle(forWritingTo: copy)
    try environment.copy(to: file.fileDescriptor).wait { _ in }
    try file.close()
    environment.close()
    return try Data(contentsOf: copy)
  }

  private func removeFiles() throws {
    for name in ["data.mdb", "lock.mdb"] { unlink(directory + "/" + name) }
  }

  /// In place: the file stays the one that is open.
  private func overwriteData(with bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: dataFile))
    try file.write(contentsOf: bytes)
    try file.close()
  }
}

extension Environment {
  /// Adds one to a number.
  func count() throws {
    try write { transaction throws(StorageError) in
      let number = try transaction.view.string(self["t"], "number").flatMap { Int($0) } ?? -1
      try transaction.put(self["t"], "number", "\(number + 1)")
    }
  }
}
