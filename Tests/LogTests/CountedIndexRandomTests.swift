import RepriseLog
import RepriseTestLog
import RepriseTestSeeds
import XCTest

/// Random transactions against a sorted array, everything checked after each.
final class CountedIndexRandomTests: CountedIndexTestCase {
  func testRanksStayRightThroughRandomTransactionsOnADeepTree() throws {
    try run(Self.narrow, transactions: 300, sizes: [1, 2, 5, 40], keys: .scattered)
  }

  func testRanksStayRightWhenKeysAreEmptyShortOrPrefixesOfOthers() throws {
    try run(Self.narrow, transactions: 250, sizes: [1, 3, 20], keys: .nested)
  }

  func testRanksStayRightThroughRandomTransactionsOfAThousandRows() throws {
    try run(.standard, transactions: 40, sizes: [1, 50, 1000], keys: .scattered, levels: 2)
  }

  func testRanksStayRightWhenRowsEnterAtTheEndsAndLeaveAnywhere() throws {
    try run(Self.narrow, transactions: 300, sizes: [1, 3, 30], keys: .atTheEnds)
  }

  func testRanksStayRightWhenWholeRangesLeaveAtOnce() throws {
    try run(Self.narrow, transactions: 200, sizes: [5, 60], keys: .scattered, rangeDeletes: true)
  }

  private enum Keys {
    case scattered, nested, atTheEnds
  }

  private func run(
    _ fanOut: CountedIndex.FanOut, transactions: Int, sizes: [Int], keys: Keys, rangeDeletes: Bool = false,
    levels: UInt8 = 3,
    file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let seed = testSeed(test: name)
    var numbers = SeededGenerator(seed: seed)
    let index = index(7, fanOut)
    var rows: [[UInt8]] = []
    var isGrowing = true
    var highest: UInt8 = 0
    for transaction in 0..<transactions {
      if transaction > transactions / 5 && Int.random(in: 0..<25, using: &numbers) == 0 { isGrowing.toggle() }
      var changes: [IndexChange] = []
      let size = sizes.randomElement(using: &numbers) ?? 1
      if rangeDeletes && rows.count > 2 && Int.random(in: 0..<4, using: &numbers) == 0 {
        let start = Int.random(in: 0..<rows.count, using: &numbers)
        let end = Int.random(in: start...rows.count, using: &numbers)
        changes = rows[start..<end].map(IndexChange.delete)
      } else {
        var after = rows
        for _ in 0..<size {
          let isInsert = Int.random(in: 0..<10, using: &numbers) < (isGrowing ? 7 : 3)
          if !isInsert && !after.isEmpty {
            let row = after[Int.random(in: 0..<after.count, using: &numbers)]
            changes.append(.delete(row))
            after.apply([.delete(row)])
            // Every other one is a move.
            if Bool.random(using: &numbers) { continue }
          }
          let row = newKey(keys, &numbers, after)
          if after.place(of: row).isThere { continue }
          changes.append(.insert(row))
          after.apply([.insert(row)])
        }
      }
      let probes = (0..<10).map { _ in newKey(keys, &numbers, rows) }
      rows.apply(changes)
      try apply(changes.unordered(&numbers), to: index)
      try expect(
        index, has: rows, ranksOf: probes, "seed \(seed), transaction \(transaction)", file: file, line: line)
      if testRun?.totalFailureCount ?? 0 > 0 { return }
      highest = max(highest, try entries().keys.map { $0[4] }.max() ?? 0)
    }
    XCTAssertGreaterThanOrEqual(highest, levels, "too few levels to show anything; seed \(seed)")
  }

  private func newKey(_ keys: Keys, _ numbers: inout SeededGenerator, _ rows: [[UInt8]]) -> [UInt8] {
    switch keys {
    case .scattered: return key(Int.random(in: 0..<1 << 40, using: &numbers))
    case .nested:
      let length = Int.random(in: 0...9, using: &numbers)
      return (0..<length).map { _ in [0, 1, 0xFF].randomElement(using: &numbers) ?? 0 }
    case .atTheEnds:
      let atEnd = Bool.random(using: &numbers)
      let number = { (row: [UInt8]) in row.reduce(0) { $0 << 8 | Int($1) } }
      guard let first = rows.first, let last = rows.last else { return key(1 << 40) }
      return key(atEnd ? number(last) + 1 : number(first) - 1)
    }
  }
}

extension [IndexChange] {
  /// In any order, but for changes of one row.
  fileprivate func unordered(_ numbers: inout SeededGenerator) -> [IndexChange] {
    var byRow: [[UInt8]: [IndexChange]] = [:]
    for change in self { byRow[change.rowKey, default: []].append(change) }
    let rows = byRow.keys.sorted { $0.lexicographicallyPrecedes($1) }.shuffled(using: &numbers)
    return rows.flatMap { byRow[$0] ?? [] }
  }
}
