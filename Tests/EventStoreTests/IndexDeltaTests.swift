import RepriseEventStore
import RepriseLMDB
import RepriseObjectModel
import RepriseTestLog
import RepriseTestSeeds
import XCTest

final class IndexDeltaTests: CountedIndexTestCase {
  func testRanksOfRandomDeltasAreThoseOfTheMergedArray() throws {
    let seed = testSeed()
    var numbers = SeededGenerator(seed: seed)
    for round in 0..<200 {
      let size = [0, 1, 2, 10, 60].randomElement(using: &numbers) ?? 0
      let base = randomKeys(size, &numbers)
      let removed = base.filter { _ in Int.random(in: 0..<3, using: &numbers) == 0 }.shuffled(using: &numbers)
      let added = randomKeys(Int.random(in: 0...30, using: &numbers), &numbers).filter { !base.place(of: $0).isThere }
      let probes = randomKeys(20, &numbers)
      try expect(
        SortedRows(rows: base), removed, added.shuffled(using: &numbers), probes, "seed \(seed), \(round)")
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
  }

  func testADeltaOverACountedIndexAnswersAsOverAnArray() throws {
    let seed = testSeed()
    var numbers = SeededGenerator(seed: seed)
    let index = index(7, Self.narrow)
    let base = (0..<2000).map { key($0 * 10) }
    try insert(base, into: index)
    for share in [1, 10, 500] {
      let removed = base.filter { _ in Int.random(in: 0..<1000, using: &numbers) < share }
      let added = (0..<share).map { key(Int.random(in: 0..<2000, using: &numbers) * 10 + 1 + $0 % 9) }
      try expect(
        index, base, removed, Array(Set(added)).sortedByBytes(), [[], key(5), key(9_995), [0xFF]], "seed \(seed)")
    }
  }

  func testEverythingRemovedOrEverythingAddedLeavesNoGaps() throws {
    let rows = (0..<20).map { key($0 * 2) }
    let others = (0..<20).map { key($0 * 2 + 1) }
    for (base, removed, added) in [
      (rows, rows, []), (rows, rows, others), ([], [], rows), (rows, [], []), (rows, [], others),
      (rows, Array(rows.prefix(10)), []), (rows, Array(rows.suffix(10)), [key(100)]),
      (rows, [], [[]]), (rows, [rows[0], rows[19]], [[], [0xFF]]),
    ] {
      try expect(SortedRows(rows: base), removed, added, [[], key(7), [0xFF, 0xFF]], "")
    }
  }

  func testARowThatIsRemovedAndAddedStaysAndOneGivenTwiceCountsOnce() throws {
    let base = SortedRows(rows: [key(1), key(2), key(3)])
    try read { view throws(StorageError) in
      let delta = try IndexDelta(
        over: base, of: self.index(), removed: [key(2), key(1), key(2)], added: [key(4), key(2), key(4)], in: view)
      XCTAssertEqual(delta.removed, [key(1)])
      XCTAssertEqual(delta.added, [key(4)])
      XCTAssertEqual(try delta.count(in: view), 3)
    }
  }

  func testADeltaThatDoesNotFitItsBaseIsRefused() throws {
    let base = SortedRows(rows: [key(1), key(2)])
    XCTAssertThrowsError(
      try read { view throws(StorageError) in
        _ = try IndexDelta(over: base, of: self.index(), removed: [key(3)], added: [], in: view)
      }
    ) { self.expect($0, refuses: .delete(key(3))) }
    XCTAssertThrowsError(
      try read { view throws(StorageError) in
        _ = try IndexDelta(over: base, of: self.index(), removed: [], added: [key(2)], in: view)
      }
    ) { self.expect($0, refuses: .insert(key(2))) }
  }

  func testADeltaOverADeltaIsTheViewOfAnOverlayOverAnOverlay() throws {
    let base = SortedRows(rows: (0..<30).map { key($0 * 10) })
    try read { view throws(StorageError) in
      let below = try IndexDelta(
        over: base, of: self.index(), removed: [key(0), key(100)], added: [key(5), key(101)], in: view)
      // Takes back one of the additions and one of the removals below.
      let above = try IndexDelta(
        over: below, of: self.index(), removed: [key(5), key(290)], added: [key(100)], in: view)
      let expected = (base.rows.filter { $0 != key(0) && $0 != key(290) } + [key(101)]).sortedByBytes()
      self.expect(try self.walk(above, from: 0, .max, .ascending, view), expected)
      for (rank, row) in expected.enumerated() {
        XCTAssertEqual(try above.rowKey(at: rank, in: view), row)
        XCTAssertEqual(try above.place(of: row, in: view), RowPlace(rank: rank, isThere: true))
      }
    }
  }

  func testRanksOfAPrefixEncloseTheRowsThatBeginWithIt() throws {
    let index = index(7, Self.narrow)
    let rows = [
      [1], [1, 0], [1, 0xFF], [1, 0xFF, 0xFF], [1, 0xFF, 0xFF, 3], [2, 0], [2, 7], [0xFF], [0xFF, 0xFF, 9],
    ]
    .map { $0.map { UInt8($0) } }
    try insert(rows, into: index)
    try read { view throws(StorageError) in
      for prefix in [[], [1], [1, 0xFF], [1, 0xFF, 0xFF], [2], [2, 1], [3], [0], [0xFF], [0xFF, 0xFF]] as [[UInt8]] {
        let inside = rows.indices.filter { rows[$0].starts(with: prefix) }
        let ranks = try index.ranks(in: KeyRange(beginningWith: prefix), view)
        XCTAssertEqual(Array(ranks), inside, "\(prefix)")
        if inside.isEmpty { XCTAssertEqual(ranks.lowerBound, rows.place(of: prefix).rank, "\(prefix)") }
      }
    }
  }

  func testSectionsAreRangesOfRanksInTheMergedRows() throws {
    let base = SortedRows(rows: [[1, 1], [1, 2], [2, 1], [4, 0]])
    try read { view throws(StorageError) in
      let delta = try IndexDelta(
        over: base, of: self.index(), removed: [[2, 1]], added: [[1, 0], [1], [3, 3], [0xFF, 0xFF, 1]], in: view)
      XCTAssertEqual(try delta.ranks(in: KeyRange(beginningWith: [1]), view), 0..<4)
      XCTAssertEqual(try delta.ranks(in: KeyRange(beginningWith: [2]), view), 4..<4)
      XCTAssertEqual(try delta.ranks(in: KeyRange(beginningWith: [3]), view), 4..<5)
      XCTAssertEqual(try delta.ranks(in: KeyRange(beginningWith: [4]), view), 5..<6)
      XCTAssertEqual(try delta.ranks(in: KeyRange(beginningWith: [0xFF]), view), 6..<7)
      XCTAssertEqual(try delta.ranks(in: KeyRange(beginningWith: []), view), 0..<7)
    }
  }

  func testAWalkEndsWhenItsBodySaysSoOnAddedRowsAndOnTheBases() throws {
    let base = SortedRows(rows: (0..<10).map { key($0 * 2) })
    let added = [1, 3, 5, 7, 9, 11].map(key)
    try read { view throws(StorageError) in
      let delta = try IndexDelta(over: base, of: self.index(), removed: [key(4)], added: added, in: view)
      for direction in [RowDirection.ascending, .descending] {
        for stop in 1...8 {
          var visited = 0
          try delta.forEach(from: 7, direction, in: view) { _ in
            visited += 1
            return visited < stop
          }
          XCTAssertEqual(visited, stop)
        }
      }
    }
  }

  /// Sorted, unique, many of them sharing first bytes.
  private func randomKeys(_ count: Int, _ numbers: inout SeededGenerator) -> [[UInt8]] {
    var keys: Set<[UInt8]> = []
    for _ in 0..<count {
      keys.insert((0..<Int.random(in: 0...4, using: &numbers)).map { _ in UInt8.random(in: 0...3, using: &numbers) })
    }
    return keys.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func expect(_ found: [[UInt8]], _ expected: [[UInt8]], _ note: String = "") {
    XCTAssertEqual(found, expected, note)
  }

  private func expect(
    _ base: SortedRows, _ removed: [[UInt8]], _ added: [[UInt8]], _ probes: [[UInt8]], _ note: String
  ) throws {
    try expect(base, base.rows, removed, added, probes, note)
  }

  private func expect(
    _ base: some RankedRows, _ rows: [[UInt8]], _ removed: [[UInt8]], _ added: [[UInt8]], _ probes: [[UInt8]],
    _ note: String
  ) throws {
    let gone = Set(removed)
    let expected = (rows.filter { !gone.contains($0) } + added).sortedByBytes()
    try read { view throws(StorageError) in
      let delta = try IndexDelta(over: base, of: self.index(), removed: removed, added: added, in: view)
      XCTAssertEqual(try delta.count(in: view), expected.count, note)
      for (rank, row) in expected.enumerated() {
        XCTAssertEqual(try delta.rowKey(at: rank, in: view), row, "rank \(rank), \(note)")
        XCTAssertEqual(try delta.place(of: row, in: view), RowPlace(rank: rank, isThere: true), note)
      }
      for rank in [-1, expected.count, .max, .min] { XCTAssertNil(try delta.rowKey(at: rank, in: view), note) }
      for probe in probes + removed {
        XCTAssertEqual(try delta.place(of: probe, in: view), expected.place(of: probe), "\(probe), \(note)")
      }
      for start in Set([0, 1, expected.count / 2, expected.count - 1, expected.count, -1]) {
        for limit in [0, 1, 5, .max] {
          let isRow = expected.indices.contains(start)
          let up = isRow ? Array(expected[start...].prefix(limit)) : []
          let down = isRow ? Array(expected[...start].reversed().prefix(limit)) : []
          self.expect(try self.walk(delta, from: start, limit, .ascending, view), up, "from \(start), \(note)")
          self.expect(try self.walk(delta, from: start, limit, .descending, view), down, "from \(start), \(note)")
        }
      }
    }
  }

  private func walk(
    _ rows: some RankedRows, from rank: Int, _ limit: Int, _ direction: RowDirection, _ view: View
  ) throws(StorageError) -> [[UInt8]] {
    var found: [[UInt8]] = []
    try rows.forEach(from: rank, limit: limit, direction, in: view) { row in
      found.append(bytes(row))
      return true
    }
    return found
  }
}

/// The oracle: rows in an array.
private struct SortedRows: RankedRows {
  let rows: [[UInt8]]

  func count(in view: View) -> Int { rows.count }

  func place(of rowKey: RawSpan, in view: View) -> RowPlace { rows.place(of: bytes(rowKey)) }

  func rowKey(at rank: Int, in view: View) -> [UInt8]? { rows.indices.contains(rank) ? rows[rank] : nil }

  func forEach(
    from rank: Int, limit: Int, _ direction: RowDirection, in view: View,
    _ body: (RawSpan) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard rows.indices.contains(rank) else { return }
    let run = direction == .ascending ? Array(rows[rank...]) : rows[...rank].reversed()
    for row in run.prefix(limit) {
      guard try body(row.span.bytes) else { return }
    }
  }
}
