import RepriseLists
import RepriseObjectModel
import XCTest

final class ListSnapshotTests: XCTestCase {
  func testPlacesAndIndexesAreEachOthersInverseWithEmptySectionsToo() {
    for counts in [[], [0], [3], [0, 2, 0, 0, 1, 4, 0], [1, 1, 1]] {
      let snapshot = ListSnapshot(counts.map { ListSnapshot.Section(name: "s", rowCount: $0) })
      var expected: [RowPath] = []
      for (section, count) in counts.enumerated() {
        for item in 0..<count { expected.append(RowPath(section: section, item: item)) }
      }
      XCTAssertEqual(snapshot.count, expected.count)
      XCTAssertEqual((0..<snapshot.count).map { snapshot.path(at: $0) }, expected)
      XCTAssertEqual(expected.map { snapshot.index(of: $0) }, Array(expected.indices))
      XCTAssertEqual(expected, expected.sorted())
      XCTAssertNil(snapshot.path(at: -1))
      XCTAssertNil(snapshot.path(at: snapshot.count))
    }
  }

  func testPlacesOutsideTheListHaveNoRow() {
    let snapshot = ListSnapshot([ListSnapshot.Section(name: "a", rowCount: 2)])
    for path in [(0, 2), (0, -1), (1, 0), (-1, 0), (Int.max, Int.max), (Int.min, 0)] {
      let path = RowPath(section: path.0, item: path.1)
      XCTAssertFalse(snapshot.contains(path), "\(path)")
      XCTAssertNil(snapshot.index(of: path), "\(path)")
    }
    XCTAssertEqual(ListSnapshot([ListSnapshot.Section(name: nil, rowCount: -3)]).count, 0)
  }

  func testARowPathReadsBackFromAnArchive() throws {
    let path = RowPath(section: 2, item: 17)
    let bytes = try JSONEncoder().encode(path)
    XCTAssertEqual(String(decoding: bytes, as: UTF8.self).contains("\"section\":2"), true)
    XCTAssertEqual(try JSONDecoder().decode(RowPath.self, from: bytes), path)
  }
}
