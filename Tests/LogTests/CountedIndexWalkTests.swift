import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import XCTest

final class CountedIndexWalkTests: CountedIndexTestCase {
  private let rows = (0..<400).map { key($0 * 10) }

  func testWalksByRankVisitTheSameRowsAsTheArrayBothWays() throws {
    let index = index(7, Self.narrow)
    try insert(rows, into: index)
    for start in [0, 1, 6, 7, 8, 199, 398, 399] {
      for limit in [0, 1, 2, 50, 400, .max] {
        XCTAssertEqual(try walk(index, from: start, limit, .ascending), Array(rows[start...].prefix(limit)))
        XCTAssertEqual(try walk(index, from: start, limit, .descending), Array(rows[...start].reversed().prefix(limit)))
      }
    }
    for start in [-1, 400, .max, .min] {
      for direction in [RowDirection.ascending, .descending] {
        XCTAssertEqual(try walk(index, from: start, 10, direction), [])
      }
    }
  }

  func testWalksByKeyBeginAtTheFirstRowNotLessOrTheLastRowThatIs() throws {
    let index = index(7, Self.narrow)
    try insert(rows, into: index)
    try insert([key(1)], into: self.index(8))
    try insert([key(1)], into: self.index(6))
    for start in [[], key(0), key(5), key(10), key(1995), key(3990), key(3991), [0xFF]] {
      let rank = rows.place(of: start).rank
      for limit in [0, 1, 3, .max] {
        XCTAssertEqual(try walk(index, at: start, limit, .ascending), Array(rows[rank...].prefix(limit)))
        XCTAssertEqual(try walk(index, at: start, limit, .descending), Array(rows[..<rank].reversed().prefix(limit)))
      }
    }
  }

  func testAWalkEndsWhenItsBodySaysSo() throws {
    let index = index()
    try insert(rows, into: index)
    for direction in [RowDirection.ascending, .descending] {
      var visited = 0
      try read { view throws(StorageError) in
        try index.forEach(from: 200, direction, in: view) { _ in
          visited += 1
          return visited < 3
        }
        try index.forEach(at: key(2000).span.bytes, direction, in: view) { _ in
          visited += 1
          return visited < 6
        }
      }
      XCTAssertEqual(visited, 6)
    }
  }

  func testAnErrorOfTheBodyEndsTheWalkAndComesOut() throws {
    let index = index()
    try insert(rows, into: index)
    let mine = table.damaged([1], "mine")
    for direction in [RowDirection.ascending, .descending] {
      XCTAssertThrowsError(
        try read { view throws(StorageError) in
          try index.forEach(from: 5, direction, in: view) { (_) throws(StorageError) in throw mine }
        }
      ) { XCTAssertEqual($0 as? StorageError, mine) }
    }
  }

  private func walk(
    _ index: CountedIndex, from rank: Int, _ limit: Int, _ direction: RowDirection
  ) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    try read { view throws(StorageError) in
      try index.forEach(from: rank, limit: limit, direction, in: view) { row in
        found.append(bytes(row))
        return true
      }
    }
    return found
  }

  private func walk(
    _ index: CountedIndex, at start: [UInt8], _ limit: Int, _ direction: RowDirection
  ) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    try read { view throws(StorageError) in
      try index.forEach(at: start.span.bytes, limit: limit, direction, in: view) { row in
        found.append(bytes(row))
        return true
      }
    }
    return found
  }
}
