#if Macros
import Foundation
import XCTest

/// The demonstration succeeds, and it can fail.
final class DemoTests: XCTestCase {
  /// A store whose process was killed while it was being edited.
  private static let killed = Result {
    let folder = try TemporaryFolder()
    let store = folder.path("store")
    let load = try DemoProcess("--phase", "load", "--store", store, "--transactions", "1")
    XCTAssertEqual(load.code, 0, load.complaint)
    let edit = try DemoProcess("--phase", "edit", "--store", store)
    XCTAssertEqual(edit.signal, SIGKILL, edit.complaint)
    return folder
  }

  override class func tearDown() { (try? killed.get())?.remove() }

  private func killedStore() throws -> TemporaryFolder {
    let folder = try Self.killed.get().copy()
    addTeardownBlock { folder.remove() }
    return folder
  }

  func testTheWholeEndsWellAndPlainInAPipe() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let store = folder.path("store")
    let run = try DemoProcess("--store", store, "--transactions", "2")
    XCTAssertEqual(run.code, 0, run.complaint)
    XCTAssertTrue(run.output.contains("the same, line by line"), run.output)
    XCTAssertTrue(run.output.contains("Sound: "), run.output)
    XCTAssertTrue(run.output.contains("mdb_stat -e -a \(store)"), run.output)
    XCTAssertFalse(run.output.contains("\u{1B}"), "colour in a pipe")
    let before = try String(contentsOfFile: store + ".before.txt", encoding: .utf8)
    XCTAssertTrue(before.contains("he Unsaved▏"), before)

    let again = try DemoProcess("--store", store, "--transactions", "1")
    XCTAssertEqual(again.code, 64, "a store that is there is not to be loaded into: \(again.output)")
  }

  func testLostEditsAreNoticed() throws {
    let folder = try killedStore()
    let journals = folder.path("store/journals")
    for name in try FileManager.default.contentsOfDirectory(atPath: journals) {
      try FileManager.default.removeItem(atPath: journals + "/" + name)
    }
    let run = try DemoProcess("--phase", "restore", "--store", folder.path("store"))
    XCTAssertEqual(run.code, 1, run.complaint)
    XCTAssertTrue(run.output.contains("≠"), run.output)
  }

  func testOtherPixelsAreNoticed() throws {
    let folder = try killedStore()
    let path = folder.path("store.before.txt")
    let before = try String(contentsOfFile: path, encoding: .utf8)
    try before.replacingOccurrences(of: "202-555-01▏", with: "202-555-0▏1")
      .write(toFile: path, atomically: true, encoding: .utf8)
    let run = try DemoProcess("--phase", "restore", "--store", folder.path("store"))
    XCTAssertEqual(run.code, 1, run.complaint)
  }

  func testATamperedTextIsNoticedInTheLogAndInTheObjects() throws {
    let original = try Data(contentsOf: URL(fileURLWithPath: Self.killed.get().path("store/data.mdb")))
    var found = 0
    var rest = original[...]
    while let place = rest.range(of: Data("Congregationalist".utf8)) {
      rest = original[place.upperBound...]
      found += 1
      let folder = try killedStore()
      var bytes = original
      bytes[place.lowerBound] = UInt8(ascii: "c")
      try bytes.write(to: URL(fileURLWithPath: folder.path("store/data.mdb")))
      let run = try DemoProcess("--phase", "restore", "--store", folder.path("store"))
      XCTAssertEqual(run.code, 1, run.complaint)
      XCTAssertTrue(run.complaint.contains("damaged") || run.output.contains("problem"), run.output)
    }
    XCTAssertGreaterThan(found, 1, "the log and the objects do not both hold what the history says")
  }

  func testWhatCannotBeRunIsToldSo() throws {
    XCTAssertEqual(try DemoProcess("--transactions", "0").code, 64)
    XCTAssertEqual(try DemoProcess("--phase", "load").code, 64)
    XCTAssertEqual(try DemoProcess("--colour").code, 64)
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let run = try DemoProcess("--store", folder.path("store"), "--data", folder.path("nowhere"))
    XCTAssertEqual(run.code, 66)
    XCTAssertTrue(run.complaint.contains("nowhere/history.jsonl.gz"), run.complaint)
  }
}
#endif
