import Foundation
import RepriseCore
import RepriseDirectories
import XCTest

/// Folders that are not there, go, or may not be read.
final class DirectoryLoadStateTests: DirectoryTestCase {
  private func assertFails(
    _ source: DirectorySource, _ expected: SourceError, at place: StaticString = #filePath, on row: UInt = #line
  ) async {
    do {
      try await source.refresh()
      XCTFail("no failure", file: place, line: row)
    } catch {
      XCTAssertEqual(error as? SourceError, expected, file: place, line: row)
      guard case .failed(let reason) = source.loadState else {
        return XCTFail("\(source.loadState)", file: place, line: row)
      }
      XCTAssertEqual(reason as? SourceError, expected, file: place, line: row)
    }
  }

  func testFailuresOfTheSystemAreNamed() {
    XCTAssertEqual(
      SystemError("watching", EMFILE).error(at: "/x"),
      .unavailable(
        source: "/x",
        reason: "the system does not watch all folders of the source. Raise fs.inotify.max_user_watches, or "
          + "max_user_instances if there are many sources, or give the source a `rescanInterval`"))
    XCTAssertEqual(
      SystemError("reading", EIO).error(at: "/x"),
      .unavailable(source: "/x", reason: "reading the folder failed: \(String(cString: strerror(EIO))) (\(EIO))"))
  }

  func testAFolderThatIsNotThereYetIsFoundWithoutBeingAsked() async throws {
    let path = folder.path + "/later"
    let source = DirectorySource(path)
    XCTAssertEqual(source.row(for: ModelIdentifier("file:a#")), .notLoaded)
    do {
      try await source.ready()
      XCTFail("ready")
    } catch { XCTAssertEqual(error as? SourceError, .unavailable(source: path, reason: "the folder does not exist")) }
    XCTAssertEqual(source.row(for: ModelIdentifier("file:a#")), .notLoaded)
    folder.make(folder: "later")
    folder.write("later/a")
    for await _ in source.batches where source.loadState.isLoaded { break }
    XCTAssertEqual(names(source), ["a"])
  }

  func testAFolderThatGoesKeepsItsRowsUntilThereIsOneAgain() async throws {
    folder.make(folder: "f")
    for name in ["f/a", "f/b"] { folder.write(name) }
    let (source, batches) = try await source(below: "/f")
    let ids = source.elements.map(\.id)
    folder.removeFolder("f")
    await assertFails(source, .unavailable(source: folder.path + "/f", reason: "the folder does not exist"))
    XCTAssertEqual(names(source), ["a", "b"])
    XCTAssertEqual(batches.batches.count, 1)
    XCTAssertEqual(source.row(for: ids[1]), .row(RowPath(item: 1)))
    folder.write("f")
    await assertFails(source, .invalid(source: folder.path + "/f", reason: "it is not a folder"))
    folder.remove("f")
    folder.make(folder: "f")
    for name in ["f/b", "f/c"] { folder.write(name) }
    try await source.refresh()
    XCTAssertTrue(source.loadState.isLoaded)
    XCTAssertEqual(names(source), ["b", "c"])
    XCTAssertEqual(source.elements[0].id, ids[1], "the same path is the same row")
    XCTAssertEqual(batches.last?.deletedRows, [RowPath(item: 0)])
    folder.write("f/d")
    await source.delivered()
    XCTAssertEqual(names(source), ["b", "c", "d"])
  }

  func testAFolderThatMovesWithTheOneAroundItIsNoticed() async throws {
    folder.make(folder: "outer")
    folder.make(folder: "outer/inner")
    folder.write("outer/inner/a")
    let (source, _) = try await source(below: "/outer/inner")
    folder.move("outer", "elsewhere")
    for await _ in source.batches where !source.loadState.isLoaded { break }
    folder.write("elsewhere/inner/b")
    folder.move("elsewhere", "outer")
    for await _ in source.batches where source.loadState.isLoaded { break }
    XCTAssertEqual(names(source), ["a", "b"])
  }

  func testAFolderInThePlaceOfTheOldOneIsFollowed() async throws {
    folder.make(folder: "f")
    folder.make(folder: "g")
    folder.write("f/a", "1")
    folder.write("g/a", "23")
    folder.write("g/b")
    let (source, _) = try await source(below: "/f")
    let id = source.elements[0].id
    folder.move("f", "old")
    folder.move("g", "f")
    try await source.refresh()
    XCTAssertEqual(names(source), ["a", "b"])
    XCTAssertEqual(source.elements[0].id, id)
    folder.write("old/c")
    folder.write("f/d")
    await source.delivered()
    XCTAssertEqual(names(source), ["a", "b", "d"])
  }

  func testAFolderThatMayNotBeListedIsAFailureAndOneBelowIsNamed() async throws {
    try XCTSkipIf(geteuid() != 0, "only the superuser can give its rights up, and take them back")
    folder.make(folder: "open")
    folder.make(folder: "open/closed")
    folder.write("open/closed/a")
    folder.write("open/b")
    chmod(folder.path + "/open/closed", 0o700)
    let filter = DirectoryFilter(isRecursive: true)
    seteuid(65_534)
    defer { seteuid(0) }
    let below = DirectorySource(folder.path + "/open/closed", showing: filter)
    await assertFails(
      below, .denied(source: folder.path + "/open/closed", reason: "watching the folder is not permitted"))
    let source = DirectorySource(folder.path + "/open", showing: filter)
    try await source.refresh()
    XCTAssertEqual(names(source), ["b"])
    XCTAssertEqual(source.unreadable, ["closed"])
    seteuid(0)
    try await source.refresh()
    XCTAssertEqual(names(source), ["b", "closed/a"])
    XCTAssertEqual(source.unreadable, [])
    try await below.refresh()
    XCTAssertEqual(names(below), ["a"])
  }
}
