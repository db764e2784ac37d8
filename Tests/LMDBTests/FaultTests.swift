import Foundation
import RepriseLMDB
import RepriseTestProcesses
import XCTest

final class FaultTests: EnvironmentTestCase {
  private func makeStore() throws {
    let environment = try open()
    try environment.put(environment["t"], "a", "1")
    environment.close()
  }

  private func hear(_ role: String, through launcher: [String] = []) throws -> [String] {
    let child = try ChildProcess(role, in: directory, through: launcher)
    var said: [String] = []
    while let line = child.heard() { said.append(line) }
    child.end()
    return said
  }

  func testFileSizeLimitFailsOneCommitAndNothingElse() throws {
    try makeStore()
    XCTAssertEqual(try hear("reach the file size limit"), ["error fileTooLarge", "read 1", "read 1"])
    let environment = try open()
    XCTAssertNil(try environment.string(environment["t"], "large"))
    XCTAssertEqual(try environment.string(environment["t"], "a"), "1")
    XCTAssertEqual(try environment.string(environment["t"], "after"), "1")
  }

  func testFullDiskFailsTheCommitAndKeepsEarlierData() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { throw XCTSkip("no /dev/full") }
    try makeStore()
    XCTAssertEqual(try hear("fill the disk"), ["error diskFull", "read 1"])
    let environment = try open()
    XCTAssertNil(try environment.string(environment["t"], "lost"))
    XCTAssertEqual(try environment.string(environment["t"], "a"), "1")
  }

  func testFailureOfTheLastWriteIsAnUnknownOutcomeUntilReopened() throws {
    guard FileManager.default.fileExists(atPath: "/proc/self/fd") else { throw XCTSkip("no /proc") }
    try makeStore()
    let said = try hear("fail in the last write")
    XCTAssertEqual(Array(said.prefix(3)), ["error commitOutcomeUnknown", "error panic", "error panic"])
    // Either answer is right, but every later one must be the same.
    let outcome = try XCTUnwrap(said.last)
    XCTAssertTrue(["read 1", "read 2"].contains(outcome), outcome)
    let environment = try open()
    XCTAssertEqual("read \(try environment.string(environment["t"], "a") ?? "")", outcome)
    try environment.put(environment["t"], "a", "3")
  }

  func testDirectoryWithoutPermissionIsATypedError() throws {
    try makeStore()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
    try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: dataFile)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory + "/lock.mdb")
    let said = try hear("open as nobody")
    if said == ["cannot change the user"] { throw XCTSkip("needs another user") }
    XCTAssertEqual(said, ["error permissionDenied"])
    XCTAssertEqual(try hear("open read-only as nobody"), ["error permissionDenied"])
    try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: directory + "/lock.mdb")
    XCTAssertEqual(try hear("open as nobody"), ["error permissionDenied"])
    XCTAssertEqual(try hear("open read-only as nobody"), ["read 1"])
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: dataFile)
    XCTAssertEqual(try hear("open read-only as nobody"), ["error permissionDenied"])
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory)
    XCTAssertEqual(try hear("open read-only as nobody"), ["error permissionDenied"])
  }

  func testReadOnlyFileSystemCanBeReadAndIsToldApart() throws {
    try makeStore()
    let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\""
    let launcher = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script, directory]
    guard FileManager.default.isExecutableFile(atPath: launcher[0]), let first = try? hear("open", through: launcher),
      !first.isEmpty
    else { throw XCTSkip("needs the right to mount") }
    XCTAssertEqual(first, ["error readOnlyFileSystem"])
    XCTAssertEqual(try hear("open read-only", through: launcher), ["read 1"])
  }

  func testLockFileInUseByAnotherLibraryIsNotTakenForDamagedData() throws {
    try makeStore()
    let child = try ChildProcess("hold readers", in: directory)
    XCTAssertNotNil(child.heard())
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: directory + "/lock.mdb"))
    let before = try XCTUnwrap(file.read(upToCount: 8))
    try file.seek(toOffset: 0)
    file.write(Data(repeating: 0x55, count: 8))
    XCTAssertThrowsError(try open()) { XCTAssertEqual(($0 as? StorageError)?.name, "lockFileIncompatible") }
    try file.seek(toOffset: 0)
    file.write(before)
    try file.close()
    XCTAssertNoThrow(try open())
    child.end()
  }
}
