import Foundation
import RepriseCore
import RepriseTestSeeds
import RepriseTesting
import XCTest

@testable import RepriseDirectories

@MainActor final class DirectorySourceTests: XCTestCase {
  private var folder: TestFolder!

  override func setUp() async throws { folder = try TestFolder() }
  override func tearDown() async throws { folder = nil }

  /// A source that has its rows, and what it tells from then on.
  private func source(
    _ filter: DirectoryFilter = DirectoryFilter(), _ order: DirectoryOrder = .name, below name: String = ""
  ) async throws -> (source: DirectorySource, batches: Received) {
    let source = DirectorySource(folder.path + name, showing: filter, sortedBy: order)
    try await source.ready()
    let received = Received()
    received.observation = source.observe { received.batches.append($0) }
    return (source, received)
  }

  private final class Received {
    var batches: [ListBatch] = []
    var observation: ListObservation?
    var last: ListChanges? { batches.last?.changes }
  }

  private func names(_ source: DirectorySource) -> [String] { source.elements.map(\.path) }

  // MARK: Rows

  func testNumbersInNamesAreSortedBySizeAndCaseDoesNotCount() async throws {
    for name in ["b10.txt", "B9.txt", "a.txt", "C.txt"] { folder.write(name) }
    let (source, _) = try await source()
    XCTAssertEqual(names(source), ["a.txt", "B9.txt", "b10.txt", "C.txt"])
  }

  func testTheNewestFileIsFirstWhereThatIsTheOrder() async throws {
    for (index, name) in ["old", "new", "middle"].enumerated() {
      folder.write(name)
      var times = [
        timespec(tv_sec: [10, 30, 20][index], tv_nsec: 0), timespec(tv_sec: [10, 30, 20][index], tv_nsec: 5),
      ]
      utimensat(AT_FDCWD, folder.path + "/" + name, &times, 0)
    }
    let (newest, batches) = try await source(DirectoryFilter(), .modified(newestFirst: true))
    XCTAssertEqual(names(newest), ["new", "middle", "old"])
    let (oldest, _) = try await source(DirectoryFilter(), .modified(newestFirst: false))
    XCTAssertEqual(names(oldest), ["old", "middle", "new"])
    XCTAssertEqual(newest.elements[0].modified, .seconds(30) + .nanoseconds(5))
    folder.write("old", "again")
    await newest.delivered()
    XCTAssertEqual(names(newest), ["old", "new", "middle"])
    XCTAssertEqual(batches.last?.movedRows, [.init(from: RowPath(item: 2), to: RowPath(item: 0))])
  }

  func testOnlyWhatTheFilterShowsIsARow() async throws {
    for name in ["a.txt", "b.md", ".c.txt", "d.txt~"] { folder.write(name) }
    folder.make(folder: "e.txt")
    folder.write("e.txt/f.txt")
    let texts = try await source(DirectoryFilter(suffixes: [".txt"])).source
    XCTAssertEqual(names(texts), ["a.txt"])
    let below = try await source(DirectoryFilter(isRecursive: true, suffixes: [".txt", "md"])).source
    XCTAssertEqual(names(below), ["a.txt", "b.md", "e.txt/f.txt"])
    let all = try await source(DirectoryFilter(kinds: [.directory, .file], includesHidden: true)).source
    XCTAssertEqual(names(all), [".c.txt", "a.txt", "b.md", "d.txt~", "e.txt"])
  }

  func testNamesThatLookTheSameOrAreNoTextAreFilesOfTheirOwn() async throws {
    let composed = Array("caf\u{e9}".utf8)
    let decomposed = Array("cafe\u{301}".utf8)
    for name in [composed, decomposed, [0x61, 0xff], [0x61, 0xfe], Array("100%#~".utf8)] { folder.write(name, "x") }
    let (source, batches) = try await source()
    XCTAssertEqual(source.count, 5)
    XCTAssertEqual(
      Set(source.elements.map(\.pathBytes)), [composed, decomposed, [0x61, 0xff], [0x61, 0xfe], Array("100%#~".utf8)])
    XCTAssertEqual(Set(source.elements.map(\.id)).count, 5)
    for item in 0..<5 {
      XCTAssertEqual(source.row(for: source.elements[item].id), .row(RowPath(item: item)))
    }
    folder.write([0x61, 0xfe], "longer")
    await source.delivered()
    XCTAssertEqual(batches.last?.updatedRows.count, 1)
    XCTAssertEqual(source.elements.first { $0.pathBytes == [0x61, 0xfe] }?.size, 6)
  }

  func testLinksAreRowsAndLeadNowhere() async throws {
    folder.make(folder: "a")
    folder.write("a/b")
    folder.makeSymbolicLink("circle", to: ".")
    folder.makeSymbolicLink("a/up", to: "..")
    folder.makeSymbolicLink("broken", to: "nowhere")
    let (source, _) = try await source(DirectoryFilter(isRecursive: true))
    XCTAssertEqual(names(source), ["a/b", "a/up", "broken", "circle"])
    XCTAssertEqual(source.elements.map(\.kind), [.file, .symbolicLink, .symbolicLink, .symbolicLink])
  }

  // MARK: Changes

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

  // MARK: Readiness

  private func assertFails(
    _ source: DirectorySource, _ expected: DirectoryError, at place: StaticString = #filePath, on row: UInt = #line
  ) async {
    do {
      try await source.refresh()
      XCTFail("no failure", file: place, line: row)
    } catch {
      XCTAssertEqual(error as? DirectoryError, expected, file: place, line: row)
      guard case .failed(let reason) = source.readiness else {
        return XCTFail("\(source.readiness)", file: place, line: row)
      }
      XCTAssertEqual(reason as? DirectoryError, expected, file: place, line: row)
    }
  }

  func testAFolderThatIsNotThereYetIsFoundWithoutBeingAsked() async throws {
    let path = folder.path + "/later"
    let source = DirectorySource(path)
    XCTAssertEqual(source.row(for: ModelIdentifier("file:a#")), .notLoaded)
    do {
      try await source.ready()
      XCTFail("ready")
    } catch { XCTAssertEqual(error as? DirectoryError, .notFound(path: path)) }
    XCTAssertEqual(source.row(for: ModelIdentifier("file:a#")), .notLoaded)
    folder.make(folder: "later")
    folder.write("later/a")
    for await _ in source.batches where source.readiness.isReady { break }
    XCTAssertEqual(names(source), ["a"])
  }

  func testAFolderThatGoesKeepsItsRowsUntilThereIsOneAgain() async throws {
    folder.make(folder: "f")
    for name in ["f/a", "f/b"] { folder.write(name) }
    let (source, batches) = try await source(below: "/f")
    let ids = source.elements.map(\.id)
    folder.removeFolder("f")
    await assertFails(source, .notFound(path: folder.path + "/f"))
    XCTAssertEqual(names(source), ["a", "b"])
    XCTAssertEqual(batches.batches.count, 1)
    XCTAssertEqual(source.row(for: ids[1]), .row(RowPath(item: 1)))
    folder.write("f")
    await assertFails(source, .notADirectory(path: folder.path + "/f"))
    folder.remove("f")
    folder.make(folder: "f")
    for name in ["f/b", "f/c"] { folder.write(name) }
    try await source.refresh()
    XCTAssertTrue(source.readiness.isReady)
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
    for await _ in source.batches where !source.readiness.isReady { break }
    folder.write("elsewhere/inner/b")
    folder.move("elsewhere", "outer")
    for await _ in source.batches where source.readiness.isReady { break }
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
    await assertFails(below, .notReadable(path: folder.path + "/open/closed"))
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

  // MARK: Identifiers

  func testAnIdentifierOfAnEarlierRunLeadsToTheFileOfThatPathOrOfThatName() async throws {
    for name in ["a", "b", "c", "d"] { folder.write(name) }
    let ids = try await source().source.elements.map(\.id)
    // Saved anew, renamed, deleted.
    folder.write("a.new", "longer")
    folder.move("a.new", "a")
    folder.move("b", "e")
    folder.remove("c")
    let (source, _) = try await source()
    XCTAssertEqual(names(source), ["a", "d", "e"])
    XCTAssertEqual(source.row(for: ids[0]), .row(RowPath(item: 0)))
    XCTAssertEqual(source.row(for: ids[3]), .row(RowPath(item: 1)))
    XCTAssertEqual(source.row(for: ids[2]), .deleted)
    XCTAssertEqual(source.row(for: ModelIdentifier("reprise://x")), .foreignStore)
    try XCTSkipIf(RowNames.parts(of: ids[1])?.handle == nil, "this file system does not tell files from later ones")
    XCTAssertEqual(source.row(for: ids[1]), .row(RowPath(item: 2)))
  }

  func testAFileWithTheNumberOfAnEarlierOneIsAnother() async throws {
    for name in ["a", "b"] { folder.write(name) }
    let ids = try await source().source.elements.map(\.id)
    folder.remove("a")
    // Likely has the inode of the one before.
    folder.write("z")
    let (source, _) = try await source()
    XCTAssertEqual(source.row(for: ids[0]), .deleted)
  }

  func testLinksToOneFileAreRowsOfTheirOwn() async throws {
    folder.write("a")
    folder.link("a", "b")
    let (source, _) = try await source()
    let ids = source.elements.map(\.id)
    XCTAssertEqual(Set(ids).count, 2)
    folder.move("a", "c")
    folder.link("c", "a")
    await source.delivered()
    XCTAssertEqual(names(source), ["a", "b", "c"])
    XCTAssertEqual(Set(source.elements.map(\.id)).count, 3)
    XCTAssertEqual(source.row(for: ids[1]), .row(RowPath(item: 1)))
  }

  // MARK: At random

  func testADirectoryConforms() async throws {
    for (filter, order) in [
      (DirectoryFilter(), DirectoryOrder.name), (DirectoryFilter(isRecursive: true), .modified(newestFirst: true)),
      (DirectoryFilter(isRecursive: true, kinds: [.file, .directory]), .name),
    ] {
      let folder = try TestFolder()
      try await DataSourceConformance(
        makeSource: { DirectorySource(folder.path, showing: filter, sortedBy: order) },
        change: { _, numbers in Self.change(folder, &numbers) },
        content: { "\($0.path) \($0.size) \($0.modified)" }, settle: { await $0.delivered() }, seed: testSeed()
      ).run()
    }
  }

  func testADirectoryThatIsRefreshedConforms() async throws {
    let folder = try TestFolder()
    folder.make(folder: "f")
    let inner = TestFolder(at: folder.path + "/f")
    try await DataSourceConformance(
      makeSource: { DirectorySource(inner.path, showing: DirectoryFilter(isRecursive: true)) },
      change: { _, numbers in Self.change(inner, &numbers) }, content: { "\($0.path) \($0.size) \($0.modified)" },
      seed: testSeed(), rounds: 50
    ).runRefreshing(
      changingBehind: { _, numbers in Self.change(inner, &numbers) },
      failing: { _, isFailing in _ = isFailing ? folder.move("f", "g") : folder.move("g", "f") })
  }

  func testFilesKeepTheirIdentifiersOverARelaunch() async throws {
    let folder = try TestFolder()
    try await DataSourceConformance(
      makeSource: { DirectorySource(folder.path) },
      change: { _, _ in for name in ["a", "b%", "é"] { folder.write(name) } },
      content: { "\($0.path) \($0.size)" }, settle: { await $0.delivered() }
    ).runRelaunching { _ in DirectorySource(folder.path) }
  }

  func testAfterAnyChangesTheRowsAreTheFiles() async throws {
    for seed in testSeeds(3) {
      var numbers = RepriseTestSeeds.SeededGenerator(seed: seed)
      let folder = try TestFolder()
      let source = DirectorySource(folder.path, showing: DirectoryFilter(isRecursive: true))
      var shown: [[DirectoryEntry]] = [[]]
      let observation = source.observe { [unowned source] batch in
        batch.apply(to: &shown) { source.element(at: $0) }
      }
      for step in 0..<150 {
        // Of a file with several names the system tells only the one through which it was written.
        Self.change(folder, &numbers, withLinks: false)
        if Bool.random(using: &numbers) { await Task.yield() }
        if Int.random(in: 0..<3, using: &numbers) > 0 { continue }
        if Int.random(in: 0..<10, using: &numbers) == 0 {
          try await source.refresh()
        } else {
          await source.delivered()
        }
        let expected = folder.files(recursive: true)
        XCTAssertEqual(Set(names(source)), Set(expected), "seed \(seed), step \(step)")
        XCTAssertEqual(source.count, expected.count, "seed \(seed), step \(step)")
        XCTAssertEqual(shown, [source.elements], "seed \(seed), step \(step)")
        for entry in source.elements {
          var status = stat()
          XCTAssertEqual(stat(folder.path + "/" + entry.path, &status), 0)
          XCTAssertEqual(Int64(status.st_size), entry.size, "seed \(seed), step \(step): \(entry.path)")
        }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
      observation.cancel()
    }
  }

  /// Some files come, go, change and are renamed; some folders, too.
  private static func change(
    _ folder: TestFolder, _ numbers: inout some RandomNumberGenerator, withLinks: Bool = true
  ) {
    func pick(_ texts: [String]) -> String { texts.randomElement(using: &numbers) ?? "a" }
    func place() -> String {
      let folders = pick(["", "", "", "f/", "g/", "f/h/"])
      return folders + pick(["a", "b", "c10", "c9", "d"])
    }
    for _ in 0..<Int.random(in: 1...4, using: &numbers) {
      switch Int.random(in: 0..<(withLinks ? 12 : 11), using: &numbers) {
      case 0...3:
        let name = place()
        let parent = name.split(separator: "/").dropLast().joined(separator: "/")
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder.path + "/" + parent, isDirectory: &isFolder)
        var status = stat()
        let isTaken = stat(folder.path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        if exists, isFolder.boolValue, !isTaken {
          folder.write(name, String(repeating: "x", count: .random(in: 0..<9, using: &numbers)))
        }
      case 4...5: folder.remove(place())
      case 6...7: folder.move(place(), place())
      case 8: folder.make(folder: pick(["f", "g", "f/h", "g/h", "a"]))
      case 9: folder.move(pick(["f", "g", "f/h", "a"]), pick(["f", "g", "g/h", "f/h", "e"]))
      case 10: folder.removeFolder(pick(["f", "g", "f/h", "g/h", "a", "e"]))
      default: folder.link(place(), place())
      }
    }
  }
}
