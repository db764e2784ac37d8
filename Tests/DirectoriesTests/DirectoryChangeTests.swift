import Foundation
import RepriseCore
import XCTest

@testable import RepriseDirectories

/// What the system says of files becomes changes of rows.
final class DirectoryChangeTests: DirectoryTestCase {
  func testEachChangeIsARowChange() async throws {
    for name in ["a", "b", "c"] { folder.write(name) }
    let (source, batches) = try await source()
    folder.write("bb")
    await source.delivered()
    XCTAssertEqual(batches.last, ListChanges(insertedRows: [RowPath(item: 2)]))
    folder.remove("a")
    await source.delivered()
    XCTAssertEqual(batches.last, ListChanges(deletedRows: [RowPath(item: 0)]))
    folder.write("c", "text")
    await source.delivered()
    XCTAssertEqual(
      batches.last,
      ListChanges(updatedRows: [.init(before: RowPath(item: 2), after: RowPath(item: 2), properties: [])]))
    XCTAssertEqual(source.elements[2].size, 4)
    XCTAssertEqual(names(source), ["b", "bb", "c"])
  }

  func testARenamedFileIsAMoveOfTheSameRow() async throws {
    for name in ["a", "b", "c"] { folder.write(name) }
    let (source, batches) = try await source()
    let id = source.elements[0].id
    folder.move("a", "d")
    await source.delivered()
    XCTAssertEqual(batches.last?.movedRows, [.init(from: RowPath(item: 0), to: RowPath(item: 2))])
    XCTAssertEqual(batches.last?.updatedRows.count, 1)
    XCTAssertEqual(batches.last?.deletedRows, [])
    XCTAssertEqual(source.row(for: id), .row(RowPath(item: 2)))
    // A new file in its place is another row.
    folder.write("a")
    await source.delivered()
    XCTAssertEqual(source.row(for: id), .row(RowPath(item: 3)))
    XCTAssertNotEqual(source.elements[0].id, id)
  }

  func testADocumentThatIsSavedByPuttingANewFileInItsPlaceKeepsItsRow() async throws {
    folder.write("letter", "old")
    let (source, batches) = try await source()
    let id = source.elements[0].id
    folder.write("letter.part", "newer")
    await source.delivered()
    folder.move("letter.part", "letter")
    await source.delivered()
    XCTAssertEqual(names(source), ["letter"])
    XCTAssertEqual(source.elements[0].id, id)
    XCTAssertEqual(source.elements[0].size, 5)
    XCTAssertEqual(batches.last?.deletedRows, [RowPath(item: 1)])
    // With the old one kept.
    folder.move("letter", "letter~")
    folder.write("letter", "newest")
    await source.delivered()
    XCTAssertEqual(names(source), ["letter", "letter~"])
    XCTAssertEqual(source.elements[0].id, id)
  }

  func testAFolderThatMovesTakesItsRowsWithIt() async throws {
    folder.make(folder: "a")
    folder.make(folder: "a/b")
    for name in ["a/1", "a/b/2", "a/b/3", "z"] { folder.write(name) }
    let (source, batches) = try await source(DirectoryFilter(isRecursive: true))
    let ids = source.elements.map(\.id)
    folder.move("a", "m")
    await source.delivered()
    XCTAssertEqual(names(source), ["m/1", "m/b/2", "m/b/3", "z"])
    XCTAssertEqual(source.elements.map(\.id), ids)
    XCTAssertEqual(batches.last?.insertedRows, [])
    // It is followed where it is now.
    folder.write("m/b/4")
    folder.make(folder: "m/c")
    folder.write("m/c/5")
    await source.delivered()
    XCTAssertEqual(names(source), ["m/1", "m/b/2", "m/b/3", "m/b/4", "m/c/5", "z"])
    folder.removeFolder("m")
    await source.delivered()
    XCTAssertEqual(names(source), ["z"])
  }

  func testAFolderThatMovesOutOfSightTakesItsRowsAway() async throws {
    let elsewhere = try TestFolder()
    folder.make(folder: "a")
    folder.write("a/1")
    let (source, _) = try await source(DirectoryFilter(isRecursive: true))
    rename(folder.path + "/a", elsewhere.path + "/a")
    await source.delivered()
    XCTAssertEqual(names(source), [])
    elsewhere.write("a/2")
    await source.delivered()
    XCTAssertEqual(names(source), [])
    rename(elsewhere.path + "/a", folder.path + "/b")
    await source.delivered()
    XCTAssertEqual(names(source), ["b/1", "b/2"])
  }

  func testManyFilesAtOnceAreFewBatches() async throws {
    let (source, batches) = try await source()
    for number in 0..<2_000 { folder.write("\(number)") }
    await source.delivered()
    XCTAssertEqual(source.count, 2_000)
    XCTAssertLessThan(batches.batches.count, 200)
  }

  func testAnEventLooksAtItsFileAndAtNoOther() throws {
    for name in ["a", "b", "c"] { folder.write(name) }
    var tree = FolderTree(
      Array(folder.path.utf8), DirectoryFilter(), watching: { _, _ throws(SystemError) in }, unwatching: { _ in })
    XCTAssertEqual(try tree.update(.init()).upserted.count, 3)
    folder.write("a", "changed")
    folder.remove("b")
    let root = try XCTUnwrap(tree.root)
    let changes = try tree.update(.init(names: [(root, PathBytes(Array("a".utf8)))]))
    XCTAssertEqual(changes.upserted.map(\.path), ["a"])
    XCTAssertEqual(changes.removed, [])
    XCTAssertEqual(try tree.update(.init(isAll: true)).removed.count, 1)
  }

  func testNewsThatTheSystemLostAreMadeUpFor() async throws {
    let limit = try XCTUnwrap(
      Int(String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).dropLast()))
    try XCTSkipIf(limit > 100_000, "the system would keep \(limit) news")
    folder.make(folder: "a")
    for number in 0..<50 { folder.write("a/\(number)") }
    let (source, batches) = try await source(DirectoryFilter(isRecursive: true))
    // While nobody takes the news.
    let gate = DispatchSemaphore(value: 0)
    source.follower.queue.async { gate.wait() }
    for number in 0..<(limit / 3 + 100) {
      folder.write("\(number)", "x")
      folder.remove("\(number)")
    }
    folder.make(folder: "b")
    folder.write("b/new")
    folder.removeFolder("a")
    gate.signal()
    await source.delivered()
    XCTAssertEqual(names(source), ["b/new"])
    XCTAssertFalse(batches.last?.isEmpty ?? true, "compared row by row")
    folder.write("b/newer")
    await source.delivered()
    XCTAssertEqual(names(source), ["b/new", "b/newer"], "what was made unseen is followed")
  }
}
