import RepriseLMDB
import RepriseLog
import RepriseTestLog
import RepriseTestSeeds
import XCTest

final class CountedIndexTests: CountedIndexTestCase {
  func testAnEmptyIndexHasNoRowsAndNoRoot() throws {
    try expect(index(), has: [], ranksOf: [[], key(1)])
    XCTAssertEqual(try entries(), [:])
    try apply([], to: index())
    XCTAssertEqual(try entries(), [:])
  }

  func testRanksStayRightWhenASplitFollowsAnInsertInTheSameTransaction() throws {
    let index = index()
    var rows = (0..<128).map { key($0 * 1000) }
    try insert(rows, into: index)
    XCTAssertEqual(try nodes(of: index, level: 1), 1)
    let more = (0..<3).map { key(500 + $0) } + [key(64_500)]
    try insert(more, into: index)
    rows = (rows + more).sortedByBytes()
    XCTAssertEqual(try nodes(of: index, level: 1), 2, "no split took place")
    try expect(index, has: rows, ranksOf: more + [key(501), key(64_501), key(1 << 30)])
  }

  func testRanksStayRightWhenRowsLeaveWhatIsSplitInTheSameTransaction() throws {
    let index = index()
    var rows = (0..<128).map { key($0 * 1000) }
    try insert(rows, into: index)
    let changes = (0..<60).map { IndexChange.insert(key($0 * 1000 + 7)) } + rows.prefix(40).map(IndexChange.delete)
    try apply(changes, to: index)
    rows.apply(changes)
    XCTAssertEqual(try nodes(of: index, level: 1), 2, "no split took place")
    try expect(index, has: rows, ranksOf: [key(5), key(50_000)])
  }

  func testSplitsAtTheStartInTheMiddleAndAtTheEndKeepRanks() throws {
    for (number, place) in [0, 1_500_000, 2_000_000_000].enumerated() {
      let index = index(UInt32(number))
      var rows = (0..<3000).map { key(1000 + $0 * 1000) }
      try insert(rows, into: index)
      for round in 0..<20 {
        let more = (0..<40).map { key(place + round * 40 + $0 + 1) }.filter { !rows.place(of: $0).isThere }
        try insert(more, into: index)
        rows = (rows + more).sortedByBytes()
        try expect(index, has: rows, ranksOf: more, "place \(place), round \(round)")
      }
    }
  }

  func testDeletingEveryRowLeavesNothingBehindAndTheIndexCanBeFilledAgain() throws {
    let index = index(7, Self.narrow)
    let rows = (0..<600).map { key($0) }
    for order in [rows, rows.reversed(), rows.filter { $0[7] & 1 == 0 } + rows.filter { $0[7] & 1 == 1 }] {
      try insert(rows, into: index)
      try expect(index, has: rows)
      var left = rows
      var rest = order[...]
      while !rest.isEmpty {
        let some = Array(rest.prefix(37))
        rest = rest.dropFirst(37)
        try delete(some, from: index)
        left.apply(some.map(IndexChange.delete))
        try expect(index, has: left)
      }
      XCTAssertEqual(try entries(), [:])
    }
    try insert(rows, into: index)
    try delete(rows, from: index)
    XCTAssertEqual(try entries(), [:], "all at once")
    try insert([key(5)], into: index)
    try expect(index, has: [key(5)])
  }

  func testRangesThatSpanManyNodesMergeIntoTheirNeighboursAcrossParents() throws {
    let index = index(7, Self.narrow)
    let rows = (0..<3000).map { key($0) }
    for (start, end) in [(0, 2990), (10, 3000), (5, 2995), (1000, 2000), (1, 2), (0, 1), (2999, 3000), (1490, 1560)] {
      try insert(rows, into: index)
      try delete(rows[start..<end], from: index)
      let left = Array(rows[..<start] + rows[end...])
      try expect(index, has: left, ranksOf: [rows[start], rows[end - 1]], "\(start)..<\(end)")
      try delete(left, from: index)
    }
  }

  func testAMoveRewritesOneNodeALevelAndNothingElse() throws {
    let index = index()
    let rows = (0..<30_000).map { key($0 * 10) }
    try insert(rows, into: index)
    let before = try entries()
    try apply([.delete(key(100_000)), .insert(key(100_001))], to: index)
    let within = try entries()
    XCTAssertEqual(Set(before.keys).symmetricDifference(within.keys).count, 2, "only the row itself")
    XCTAssertTrue(before.allSatisfy { within[$0] == nil || within[$0] == $1 }, "no count changes within a bucket")
    try apply([.insert(key(200_001))], to: index)
    let after = try entries()
    let rewritten = within.filter { after[$0] != $1 }.keys.map { $0[4] }.sorted()
    XCTAssertEqual(rewritten, [1, 2, 3])
  }

  func testAppendingAndPrependingRowByRowFillTheNodes() throws {
    for (number, isAppending) in [(UInt32(1), true), (2, false)] {
      let index = index(number, Self.narrow)
      for row in 0..<500 { try insert([key(isAppending ? row : 10_000 - row)], into: index) }
      try expectSound(index)
      XCTAssertLessThanOrEqual(try nodes(of: index, level: 1), 500 / 7 + 1, "appending: \(isAppending)")
      XCTAssertLessThanOrEqual(try nodes(of: index, level: 2), 500 / 49 + 2, "appending: \(isAppending)")
    }
  }

  func testAHundredThousandRowsInOrderAndOutOfOrderKeepTheInvariant() throws {
    let seed = testSeed()
    var numbers = SeededGenerator(seed: seed)
    let rows = (0..<100_000).map { key($0 * 3) }
    let shuffled = rows.shuffled(using: &numbers)
    for (number, order) in [(UInt32(1), rows), (2, shuffled)] {
      let index = index(number)
      for start in stride(from: 0, to: order.count, by: 5000) {
        try insert(order[start..<start + 5000], into: index)
      }
      try expect(index, has: rows, ranksOf: [key(1), key(150_001), key(299_999)], "seed \(seed)")
      XCTAssertLessThan(try nodes(of: index, level: 1), 100_000 / 60, "seed \(seed)")
    }
  }

  func testKeysOf421BytesThatShareAlmostAllOfThemAreToldApart() throws {
    let index = index(7, Self.narrow)
    var random = SeededGenerator(seed: testSeed())
    let shared = [UInt8](repeating: 0xAB, count: 413)
    let rows = (0..<300).map { shared + key($0 * 2) }
    try insert(rows.shuffled(using: &random), into: index)
    let probes = (0..<300).map { shared + key($0 * 2 + 1) } + [shared, shared + [0xFF], [0xAB], [0xAC]]
    try expect(index, has: rows, ranksOf: probes)
    try delete(rows[20..<280], from: index)
    try expect(index, has: Array(rows[..<20] + rows[280...]), ranksOf: probes)
  }

  func testBoundsOfNodesAreNoLongerThanItTakesToTellTheirRowsApart() throws {
    let index = index()
    var numbers = SeededGenerator(seed: testSeed(default: 1))
    let rows = Set((0..<2000).map { _ in (0..<200).map { _ in UInt8.random(in: 0...255, using: &numbers) } })
    try insert(rows, into: index)
    let longest = try entries().keys.filter { $0[4] > 0 }.map(\.count).max()
    XCTAssertLessThanOrEqual(longest ?? 0, 5 + 4)
  }

  func testIndexesBesideEachOtherDoNotMix() throws {
    let numbers: [UInt32] = [0, 1, 2, 255, 256, .max - 1, .max]
    var rows: [UInt32: [[UInt8]]] = [:]
    for (offset, number) in numbers.enumerated() {
      rows[number] = (0..<(offset * 40)).map { key($0 * 7 + offset) }
      try insert(rows[number] ?? [], into: index(number, Self.narrow))
    }
    for number in numbers { try expect(index(number, Self.narrow), has: rows[number] ?? [], ranksOf: [[], key(99)]) }
    try delete(rows[1] ?? [], from: index(1, Self.narrow))
    rows[1] = []
    for number in numbers { try expect(index(number, Self.narrow), has: rows[number] ?? []) }
  }

  func testAnEarlierSnapshotKeepsItsRanks() throws {
    let index = index()
    try insert((0..<1000).map { key($0 * 2) }, into: index)
    let before = try environment.beginRead()
    try insert((0..<1000).map { key($0 * 2 + 1) }, into: index)
    XCTAssertEqual(try index.count(in: before.view), 1000)
    let row = key(1000)
    XCTAssertEqual(try index.place(of: row.span.bytes, in: before.view).rank, 500)
    XCTAssertEqual(try index.rowKey(at: 500, in: before.view), key(1000))
  }

  func nodes(of index: CountedIndex, level: UInt8) throws -> Int {
    let prefix = withUnsafeBytes(of: index.number.bigEndian) { [UInt8]($0) } + [level]
    return try entries().keys.count { $0.starts(with: prefix) }
  }
}
