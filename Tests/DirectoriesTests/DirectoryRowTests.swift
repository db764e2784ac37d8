import Foundation
import RepriseCore
import RepriseDirectories
import XCTest

/// Which files are rows, and in which order.
final class DirectoryRowTests: DirectoryTestCase {
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
}
