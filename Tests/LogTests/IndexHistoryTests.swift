import RepriseLMDB
import RepriseLog
import RepriseTestLog
import RepriseTestSeeds
import XCTest

/// The history of an index against the sorted arrays that the index was at each position.
final class IndexHistoryTests: CountedIndexTestCase {
  /// Nodes of a few rows, so that a few hundred rows make a deep tree.
  private static let small = IndexHistory.Sizes(greatest: 160)

  private var moments: [Position: [[UInt8]]] = [:]
  private var present: [[UInt8]] = []
  private var head: Position = 0

  private func history(_ sizes: IndexHistory.Sizes = small) -> IndexHistory {
    IndexHistory(index(7, Self.narrow), sizes: sizes)
  }

  // MARK: Saves

  /// Applies saves in one commit, each at the next position.
  private func save(_ saves: [[IndexChange]], to history: IndexHistory) throws {
    var all = IndexChanges(index: 7)
    for changes in saves {
      head = head + 1
      all.begin(saveAt: head)
      for change in changes { all.add(change.rowKey, isInsert: change.isInsert) }
      present.apply(changes)
      moments[head] = present
    }
    try environment.write { transaction throws(StorageError) in
      try history.apply(all, in: transaction)
      try self.index(7, Self.narrow).apply(all, in: transaction)
    }
  }

  private func begin(_ history: IndexHistory) throws {
    try environment.write { transaction throws(StorageError) in
      try history.begin(at: self.head, in: transaction)
      while !(try history.build(limit: 20, from: self.head, in: transaction)) {}
    }
    moments = [head: present]
  }

  private func randomChanges(_ random: inout SeededGenerator, upTo count: Int, growing: Bool) -> [IndexChange] {
    var rows = present
    var changes: [IndexChange] = []
    var touched: Set<[UInt8]> = []
    for _ in 0..<Int.random(in: 1...count, using: &random) {
      if !rows.isEmpty, Int.random(in: 0..<10, using: &random) < (growing ? 3 : 7) {
        let row = rows[Int.random(in: 0..<rows.count, using: &random)]
        guard touched.insert(row).inserted else { continue }
        changes.append(.delete(row))
      } else {
        let length = Int.random(in: 0...6, using: &random)
        let row = (0..<length).map { _ in UInt8.random(in: 0...3, using: &random) } + key(touched.count % 3)
        guard touched.insert(row).inserted, !rows.place(of: row).isThere else { continue }
        changes.append(.insert(row))
      }
      rows.apply([changes[changes.count - 1]])
    }
    return changes
  }

  // MARK: Expectations

  private func expect(
    _ history: IndexHistory, at position: Position, _ note: String, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let rows = try XCTUnwrap(moments[position], note, file: file, line: line)
    try read { view throws(StorageError) in
      guard let past = try PastIndex(history, at: position, in: view) else {
        return XCTFail("nothing at \(position), \(note)", file: file, line: line)
      }
      XCTAssertEqual(try past.count(in: view), rows.count, note, file: file, line: line)
      for direction in [RowDirection.ascending, .descending] {
        var found: [[UInt8]] = []
        try past.forEach(from: direction == .ascending ? 0 : rows.count - 1, direction, in: view) { row in
          found.append(bytes(row))
          return true
        }
        let expected = direction == .ascending ? rows : rows.reversed()
        XCTAssertTrue(found == expected, "\(direction) at \(position), \(note)", file: file, line: line)
      }
      for rank in stride(from: 0, to: rows.count, by: max(1, rows.count / 7)) {
        XCTAssertEqual(try past.rowKey(at: rank, in: view), rows[rank], note, file: file, line: line)
        let probe = rows[rank] + [0]
        for key in [rows[rank], probe, Array(rows[rank].dropLast())] {
          let place = try past.place(of: key.span.bytes, in: view)
          XCTAssertEqual(place, rows.place(of: key), note, file: file, line: line)
        }
        var next: [UInt8]?
        try past.forEach(at: probe.span.bytes, limit: 1, in: view) { row in
          next = bytes(row)
          return true
        }
        XCTAssertEqual(next, rank + 1 < rows.count ? rows[rank + 1] : nil, note, file: file, line: line)
        var last: [UInt8]?
        let own = rows[rank]
        try past.forEach(at: own.span.bytes, limit: 1, .descending, in: view) { row in
          last = bytes(row)
          return true
        }
        XCTAssertEqual(last, rank > 0 ? rows[rank - 1] : nil, note, file: file, line: line)
      }
      XCTAssertNil(try past.rowKey(at: rows.count, in: view), note, file: file, line: line)
    }
  }

  /// That a history has no problem from a position on, and the rows of the moments.
  private func expectSound(
    _ history: IndexHistory, from first: Position, _ note: String, file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let (problems, sum) = try read { view throws(StorageError) in try history.verify(from: first, in: view) }
    XCTAssertEqual(problems.map(\.description), [], note, file: file, line: line)
    var expected = RowSum()
    var rows = try XCTUnwrap(moments[first], note, file: file, line: line)
    for row in rows { expected.begin(row.span.bytes, at: first) }
    for position in moments.keys.sorted() where position > first {
      let next = Set(moments[position] ?? [])
      for row in next.subtracting(rows) { expected.begin(row.span.bytes, at: position) }
      for row in Set(rows).subtracting(next) { expected.end(row.span.bytes, at: position) }
      rows = Array(next)
    }
    XCTAssertEqual(sum, expected, note, file: file, line: line)
  }

  // MARK: Random histories

  func testEachPositionHasItsRowsOnADeepTree() throws {
    try run(Self.small, commits: 150, sizes: [1, 2, 5, 40])
  }

  func testEachPositionHasItsRowsInNodesOfUsualSize() throws {
    try run(.standard, commits: 60, sizes: [1, 3, 200])
  }

  private func run(_ sizes: IndexHistory.Sizes, commits: Int, sizes counts: [Int]) throws {
    let seed = testSeed(test: name)
    var random = SeededGenerator(seed: seed)
    let history = history(sizes)
    try begin(history)
    var first = head
    var isGrowing = true
    for commit in 0..<commits {
      let note = "seed \(seed), commit \(commit)"
      if Int.random(in: 0..<20, using: &random) == 0 { isGrowing.toggle() }
      var saves: [[IndexChange]] = []
      let before = present
      for _ in 0..<(Int.random(in: 0..<4, using: &random) == 0 ? 3 : 1) {
        let upTo = counts.randomElement(using: &random) ?? 1
        let changes = randomChanges(&random, upTo: upTo, growing: isGrowing)
        saves.append(changes)
        present.apply(changes)
      }
      if Int.random(in: 0..<40, using: &random) == 0 { saves.append(present.map(IndexChange.delete)) }
      present = before
      try save(saves, to: history)
      if Int.random(in: 0..<30, using: &random) == 0 {
        first = Position(UInt64.random(in: first.number...head.number, using: &random))
        try environment.write { transaction throws(StorageError) in
          while !(try history.drop(before: first, limit: 3, in: transaction)) {}
        }
        moments = moments.filter { $0.key >= first }
      }
      try expect(history, at: head, note)
      if let position = moments.keys.randomElement(using: &random) { try expect(history, at: position, note) }
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
    for position in moments.keys { try expect(history, at: position, "seed \(seed), at the end") }
    try expectSound(history, from: first, "seed \(seed)")
    try expect(index(7, Self.narrow), has: present, "seed \(seed)")
  }

  /// Saves between the slices of a building change the part that is there, and no other.
  func testAHistoryIsBuiltWhileSavesGoOn() throws {
    for seed in testSeeds(3, test: name) {
      var random = SeededGenerator(seed: seed)
      let index = index(7, Self.narrow)
      try delete(present, from: index)
      (moments, present, head) = ([:], [], 0)
      try environment.write { transaction throws(StorageError) in
        // As when an index is removed.
        for key in try self.keys(transaction.view) { try transaction.delete(self.table, key: key.span.bytes) }
      }
      let history = history()
      for _ in 0..<5 { try save([randomChanges(&random, upTo: 60, growing: true)], to: history) }
      XCTAssertEqual(try read { view throws(StorageError) in try history.state(view) }, .none)
      try environment.write { transaction throws(StorageError) in
        try history.begin(at: self.head, in: transaction)
      }
      var isBuilt = false
      while !isBuilt {
        try save([randomChanges(&random, upTo: 8, growing: Bool.random(using: &random))], to: history)
        XCTAssertEqual(try read { view throws(StorageError) in try history.state(view) }, .building)
        let (problems, sum) = try read { view throws(StorageError) in try history.verify(from: 0, in: view) }
        XCTAssertEqual(problems, [], "seed \(seed)")
        XCTAssertEqual(sum, try read { view throws(StorageError) in try history.sumOfBuilt(view) }, "seed \(seed)")
        let limit = Int.random(in: 1...30, using: &random)
        isBuilt = try environment.write { transaction throws(StorageError) in
          try history.build(limit: limit, from: self.head, in: transaction)
        }
      }
      let first = head
      moments = [head: present]
      XCTAssertEqual(try read { view throws(StorageError) in try history.state(view) }, .kept(from: first))
      XCTAssertNil(try read { view throws(StorageError) in try PastIndex(history, at: first - 1, in: view)?.position })
      for _ in 0..<20 { try save([randomChanges(&random, upTo: 8, growing: true)], to: history) }
      for position in moments.keys { try expect(history, at: position, "seed \(seed)") }
      try expectSound(history, from: first, "seed \(seed)")
    }
  }

  private func keys(_ view: View) throws(StorageError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var cursor = try view.cursor(table)
    while let entry = try cursor.next() { keys.append(bytes(entry.key)) }
    return keys
  }

  func testRowsAsLongAsTheTableTakesHaveAHistory() throws {
    let history = history(.standard)
    try begin(history)
    let rows = (0..<120).map { [UInt8](repeating: UInt8($0 % 4), count: 490) + key($0) + key($0 * 7) }
    for row in rows { try save([[.insert(row)]], to: history) }
    for row in rows.prefix(60) { try save([[.delete(row)]], to: history) }
    for position in moments.keys { try expect(history, at: position, "") }
    try expectSound(history, from: 0, "")
  }

  // MARK: The size

  /// A save adds an entry on each level, and does not copy nodes.
  func testASaveAddsSomeDozenBytes() throws {
    let history = history(.standard)
    try save([(0..<5_000).map { .insert(key($0 * 1_000)) }], to: history)
    try begin(history)
    let before = try entries().reduce(0) { $0 + ($1.key[4] == IndexHistory.level ? $1.value.count : 0) }
    for number in 0..<2_000 {
      let old = number * 1_999 % 5_000 * 1_000
      try save([[.delete(key(old)), .insert(key(old + 500_001))]], to: history)
      try save([[.insert(key(old)), .delete(key(old + 500_001))]], to: history)
    }
    let after = try entries().reduce(0) { $0 + ($1.key[4] == IndexHistory.level ? $1.value.count : 0) }
    XCTAssertLessThan((after - before) / 4_000, 80)
  }
}
