import Foundation
import RepriseCore
import XCTest

@testable import RepriseDirectories

/// Files are found again by what an archive has of them.
final class DirectoryIdentifierTests: DirectoryTestCase {
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
    try XCTSkipIf(
      RowIdentifiers.parts(of: ids[1])?.handle == nil, "this file system does not tell files from later ones")
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
}
