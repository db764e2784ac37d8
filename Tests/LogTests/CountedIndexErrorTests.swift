import RepriseLMDB
import RepriseLog
import RepriseTestLog
import XCTest

final class CountedIndexErrorTests: CountedIndexTestCase {
  private let rows = (0..<300).map { key($0 * 10) }

  override func setUpWithError() throws {
    try super.setUpWithError()
    try insert(rows, into: index())
  }

  func testInsertingARowTwiceIsRefusedAndLeavesTheIndexAsItWas() throws {
    let changes: [IndexChange] = [.insert(key(1)), .insert(key(50)), .insert(key(2))]
    expect(changes, refuse: .insert(key(50)))
    expect([.insert(key(1)), .insert(key(1))], refuse: .insert(key(1)))
    expect([.insert(key(50)), .delete(key(50))], refuse: .insert(key(50)))
    try expect(index(), has: rows)
  }

  func testDeletingAMissingRowIsRefusedAndLeavesTheIndexAsItWas() throws {
    expect([.delete(key(10)), .delete(key(51))], refuse: .delete(key(51)))
    expect([.delete(key(50)), .delete(key(50))], refuse: .delete(key(50)))
    expect([.delete(key(51)), .insert(key(51))], refuse: .delete(key(51)))
    try expect(index(), has: rows)
    XCTAssertThrowsError(try delete([key(1)], from: index(9)))
    XCTAssertEqual(try entries().keys.filter { $0[3] == 9 }, [])
  }

  func testChangesOfOneRowThatUndoEachOtherChangeNothing() throws {
    let before = try entries()
    try apply([.delete(key(50)), .insert(key(1)), .insert(key(50)), .delete(key(1))], to: index())
    XCTAssertEqual(try entries(), before)
    try apply([.delete(key(50)), .insert(key(50)), .delete(key(50))], to: index())
    try expect(index(), has: rows.filter { $0 != key(50) })
  }

  func testAKeyTooLongForTheTableIsAnErrorOfStorage() throws {
    XCTAssertThrowsError(try insert([[UInt8](repeating: 1, count: 600)], into: index())) {
      guard case .badValueSize = $0 as? StorageError else { return XCTFail("\($0)") }
    }
    try expect(index(), has: rows)
  }

  func testErrorsSayWhichRowOfWhichIndexAndWhatToDo() throws {
    XCTAssertThrowsError(try delete([[0x0A, 0xFF]], from: index())) {
      XCTAssertEqual(
        "\($0)",
        """
        A row of the table indexes is damaged: index 7 lacks the row 0aff, so it cannot be deleted (decode, \
        \(environment.directory)). Do not write to the file. Make a copy, and verify the copy.
        """)
    }
    let long = [UInt8](repeating: 1, count: 500)
    try insert([long], into: index())
    XCTAssertThrowsError(try insert([long], into: index())) {
      guard case .damagedRow(_, _, let reason, _) = $0 as? StorageError else { return XCTFail("\($0)") }
      let row = String(repeating: "01", count: 64) + "… (500 bytes)"
      XCTAssertEqual(reason, "index 7 already has the row \(row), so it cannot be inserted")
    }
  }

  // Damage, written with LMDB directly.

  func testDamagedCountsAreATypedErrorForReadersAndWriters() throws {
    for (value, reason) in [
      ([], "a tree node has 0 bytes instead of 12"), ([1], "a tree node has 1 bytes instead of 12"),
      ([UInt8](repeating: 0xFF, count: 12), "a tree node counts 18446744073709551615 rows, which is impossible"),
    ] as [([UInt8], String)] {
      try tamper { entries in
        for (key, _) in entries where key[4] > 0 { entries[key] = value }
      }
      expectDamage(reason) { view throws(StorageError) in _ = try self.index().count(in: view) }
      expectDamage(reason) { view throws(StorageError) in _ = try self.index().rowKey(at: 5, in: view) }
      expectDamage(reason) { view throws(StorageError) in
        let row = key(2000)
        _ = try self.index().place(of: row.span.bytes, in: view)
      }
      XCTAssertThrowsError(try insert([key(1)], into: index())) { self.expectDamage($0, reason) }
      XCTAssertFalse(try problems().isEmpty)
    }
  }

  func testCountsThatClaimMoreThanThereIsAreATypedErrorAndNoEndlessWalk() throws {
    try tamper { entries in
      for (key, value) in entries where key[4] > 0 { entries[key] = [value[0], 9, 0, 0] + value.dropFirst(4) }
    }
    expectDamage("a tree node on level 1 has fewer rows than it counts") { view throws(StorageError) in
      _ = try self.index().rowKey(at: 2340, in: view)
    }
    try read { view throws(StorageError) in
      var visited = 0
      try self.index().forEach(from: 2, in: view) { _ in
        visited += 1
        return true
      }
      XCTAssertEqual(visited, 298)
    }
  }

  func testRowsWithoutCountsAndCountsWithoutRowsAreATypedError() throws {
    let whole = try entries()
    try tamper { entries in entries = entries.filter { $0.key[4] == 0 } }
    expectDamage("its tree has rows, but no root") { view throws(StorageError) in _ = try self.index().count(in: view) }
    XCTAssertThrowsError(try insert([key(1)], into: index())) {
      self.expectDamage($0, "its tree has rows, but no root")
    }
    XCTAssertEqual(try problems(), [.outsideEveryNode])
    try tamper { $0 = whole.filter { $0.key[4] != 0 } }
    expectDamage("a tree node on level 1 has fewer rows than it counts") { view throws(StorageError) in
      _ = try self.index().rowKey(at: 0, in: view)
    }
    XCTAssertEqual(try problems(), [.empty])
  }

  func testReadersAndWritersNameTheDamage() throws {
    let index = index(7, Self.narrow)
    try delete(rows, from: self.index())
    try insert(rows, into: index)
    let whole = try entries()
    let levels = Dictionary(grouping: whole.keys.sorted { $0.lexicographicallyPrecedes($1) }) { $0[4] }
    let bucket = try XCTUnwrap(levels[1])[20]
    let root = try XCTUnwrap(levels[3]?.first)
    /// Among its rows.
    let row = key(1_401)

    try tamper { $0 = $0.filter { $0.key[4] < 2 } }
    expectDamage("level 1 of the tree has several nodes, and level 2 has none") { view throws(StorageError) in
      _ = try index.place(of: row.span.bytes, in: view)
    }
    try tamper { entries in
      entries = whole
      entries[root]?[1] += 1
    }
    expectDamage("a tree node on level 3 has fewer rows than it counts") { view throws(StorageError) in
      _ = try index.rowKey(at: 500, in: view)
    }
    try tamper { entries in
      entries = whole
      entries[bucket]?[8] = 9
    }
    XCTAssertThrowsError(try insert([row], into: index)) {
      self.expectDamage($0, "a tree node on level 1 has more or fewer children than it counts")
    }
    try tamper { entries in
      entries = whole
      entries[bucket] = [UInt8](repeating: 0, count: 12)
    }
    XCTAssertThrowsError(try delete([key(1_410)], from: index)) {
      self.expectDamage($0, "a tree node on level 1 has impossible counts")
    }
    try tamper { $0 = whole.filter { $0.key[4] != 1 } }
    XCTAssertThrowsError(try insert([row], into: index)) {
      self.expectDamage($0, "level 1 of the tree has no node for a row")
    }
  }

  func testVerifyNamesEveryKindOfDamage() throws {
    let index = index(7, Self.narrow)
    try delete(rows, from: self.index())
    try insert(rows, into: index)
    let whole = try entries()
    let levels = Dictionary(grouping: whole.keys.sorted { $0.lexicographicallyPrecedes($1) }) { $0[4] }
    func entry(_ level: UInt8, _ rowKey: [UInt8]) -> [UInt8] { [0, 0, 0, 7, level] + rowKey }
    func level(_ number: UInt8) throws -> [[UInt8]] { try XCTUnwrap(levels[number]) }
    let row = try level(0)[100]
    let bucket = try level(1)[20]
    let top = try XCTUnwrap(levels.keys.max())

    func expect(
      _ kinds: (CountedIndex.Problem.Kind) -> Bool, line: UInt = #line,
      _ change: (inout [[UInt8]: [UInt8]]) -> Void
    ) throws {
      try tamper { entries in
        entries = whole
        change(&entries)
      }
      let found = try problems(index)
      XCTAssertTrue(found.contains(where: kinds), "\(found)", line: line)
    }

    try tamper { $0 = whole }
    XCTAssertEqual(try problems(index), [])
    try expect({ $0 == .rowHasValue }) { $0[row] = [1] }
    try expect({ if case .rowsDiffer = $0 { true } else { false } }) { $0[row] = nil }
    try expect({ if case .childrenDiffer = $0 { true } else { false } }) { $0[row] = nil }
    try expect({ if case .rowsDiffer = $0 { true } else { false } }) { $0[bucket]?[0] += 1 }
    try expect({ if case .childrenDiffer = $0 { true } else { false } }) { $0[bucket]?[8] += 1 }
    try expect({ $0 == .malformedCounts }) { $0[bucket] = [1, 2, 3] }
    try expect({ $0 == .tooManyChildren(14) }) { $0[bucket] = nil }
    try expect({ $0 == .firstBoundNotEmpty }) { $0[entry(1, [0])] = $0.removeValue(forKey: entry(1, [])) }
    try expect({ $0 == .outsideEveryNode }) { $0[entry(1, rows[5])] = $0.removeValue(forKey: entry(1, [])) }
    try expect({ $0 == .empty }) { entries in
      for row in rows[60..<80] { entries[entry(0, row)] = nil }
    }
    try expect({ $0 == .tooFewChildren(1) }) { entries in
      for row in rows[140..<160] where row != rows[150] { entries[entry(0, row)] = nil }
    }
    try expect({ $0 == .severalRoots }) { entries in
      entries = entries.filter { $0.key[4] < top }
    }
    try expect({ $0 == .needlessLevel }) { entries in
      entries[entry(top + 1, [])] = [0x2C, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    }
  }

  func testVerifyStopsAtItsLimit() throws {
    try tamper { entries in
      for (key, _) in entries where key[4] == 0 { entries[key] = [1] }
    }
    try read { view throws(StorageError) in
      XCTAssertEqual(try self.index().verify(in: view, limit: 7).count, 7)
      XCTAssertEqual(try self.index().verify(in: view).count, 100)
    }
  }

  private func expect(_ changes: [IndexChange], refuse change: IndexChange, line: UInt = #line) {
    XCTAssertThrowsError(try apply(changes, to: index()), line: line) {
      self.expect($0, refuses: change, line: line)
    }
  }

  private func expectDamage(_ reason: String, line: UInt = #line, _ body: (View) throws(StorageError) -> Void) {
    XCTAssertThrowsError(try read(body), line: line) { self.expectDamage($0, reason, line: line) }
  }

  private func problems(_ index: CountedIndex? = nil) throws -> [CountedIndex.Problem.Kind] {
    try read { view throws(StorageError) in try (index ?? self.index()).verify(in: view).map(\.kind) }
  }

  private func tamper(_ change: (inout [[UInt8]: [UInt8]]) -> Void) throws {
    let before = try entries()
    var after = before
    change(&after)
    let table = table
    try environment.write { transaction throws(StorageError) in
      for key in before.keys where after[key] == nil { try transaction.delete(table, key: key.span.bytes) }
      for (key, value) in after where before[key] != value {
        try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
      }
    }
  }
}
