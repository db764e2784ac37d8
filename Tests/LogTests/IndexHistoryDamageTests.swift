import RepriseLMDB
import RepriseLog
import RepriseTestLog
import XCTest

/// Damage in the rows of a history: `verify` names each kind, and readers and writers throw typed errors.
final class IndexHistoryDamageTests: CountedIndexTestCase {
  private var history: IndexHistory!
  private var head: Position = 0
  private var whole: [[UInt8]: [UInt8]] = [:]

  /// 300 rows, and 40 saves that change some.
  override func setUpWithError() throws {
    try super.setUpWithError()
    history = IndexHistory(index(), sizes: IndexHistory.Sizes(greatest: 200))
    try insert((0..<300).map { key($0 * 10) }, into: index())
    try environment.write { transaction throws(StorageError) in
      try self.history.begin(at: 1, in: transaction)
      while !(try self.history.build(limit: 50, from: 1, in: transaction)) {}
    }
    head = 1
    for number in 0..<40 { try save([.delete(key(number * 70)), .insert(key(number * 70 + 1))]) }
    whole = try entries()
    XCTAssertEqual(try problems(), [])
  }

  private func save(_ changes: [IndexChange]) throws {
    head = head + 1
    var all = IndexChanges(index: 7)
    all.begin(saveAt: head)
    for change in changes { all.add(change.rowKey, isInsert: change.isInsert) }
    try environment.write { transaction throws(StorageError) in
      try self.history.apply(all, in: transaction)
      try self.index().apply(all, in: transaction)
    }
  }

  private func problems() throws -> [HistoryProblem] {
    try read { view throws(StorageError) in try self.history.verify(from: 1, in: view).problems }
  }

  /// Rewrites the table, from the sound one.
  private func tamper(_ change: (inout [[UInt8]: [UInt8]]) throws -> Void) throws {
    var changed = whole
    try change(&changed)
    try environment.write { transaction throws(StorageError) in
      try transaction.removeAll(self.table)
      for (key, value) in changed { try transaction.put(self.table, key: key.span.bytes, value: value.span.bytes) }
    }
  }

  private func keys(_ kind: IndexHistory.Kind) -> [[UInt8]] {
    whole.keys.filter { $0[4] == IndexHistory.level && $0[5] == kind.rawValue }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The keys of nodes on a level, of the present ones.
  private func nodes(_ level: UInt8) -> [[UInt8]] {
    let replaced = Set(keys(.replaced).map { Array($0.suffix(12)) })
    return keys(.node).filter { whole[$0]?[4] == level && !replaced.contains(Array($0[6..<18])) }
  }

  private func id(_ key: [UInt8]) -> HistoryNodeID {
    func number(_ range: Range<Int>) -> UInt64 { key[range].reduce(0) { $0 << 8 | UInt64($1) } }
    return HistoryNodeID(born: Position(number(6..<14)), number: UInt32(number(14..<18)))
  }

  // MARK: Each kind

  func testAFlippedByteOfANodeIsFound() throws {
    let node = try XCTUnwrap(nodes(0).first)
    try tamper { $0[node]?[20] ^= 1 }
    let name = "node \(id(node).born).\(id(node).number)"
    let reason = "\(name) of the history of index 7: expected bytes that fit their checksum at byte 0"
    XCTAssertTrue(try problems().contains(.unreadable(reason: reason)))
    XCTAssertTrue(try problems().map(\.description).contains(reason))
  }

  func testAMissingNodeIsFound() throws {
    let node = try XCTUnwrap(nodes(0).first)
    try tamper { $0[node] = nil }
    XCTAssertTrue(try problems().contains(.missingNode(id(node))))
    let name = "\(id(node).number) of position \(id(node).born)"
    XCTAssertTrue(try problems().map(\.description).contains("node \(name) is missing"))
    try read { view throws(StorageError) in
      let past = try PastIndex(self.history, at: self.head, in: view)
      do throws(StorageError) {
        try past?.forEach(from: 0, in: view) { _ in true }
        XCTFail("It was read.")
      } catch {
        self.expectDamage(error, "its history: node \(self.id(node).born).\(self.id(node).number) is missing")
      }
    }
  }

  func testANodeThatNothingLeadsToIsFound() throws {
    let node = try XCTUnwrap(nodes(0).first)
    var other = node
    other[17] = 0xEE
    try tamper { $0[other] = $0[node] }
    XCTAssertEqual(try problems(), [.strayNode(id(other))])
    let text = "no root leads to node \(id(other).number) of position \(id(other).born)"
    XCTAssertEqual(try problems().map(\.description), [text])
  }

  func testTheLossOfAReplacementIsFound() throws {
    let replaced = try XCTUnwrap(keys(.replaced).last)
    try tamper { $0[replaced] = nil }
    XCTAssertTrue(try problems().contains { if case .span = $0 { true } else { false } })
    let node = HistoryNodeID(born: 3, number: 2)
    XCTAssertEqual(
      HistoryProblem.span(node).description,
      "node 2 of position 3 ends at another position than the nodes above it say")
  }

  func testTheLossOfARootIsFound() throws {
    let roots = keys(.root)
    XCTAssertGreaterThan(roots.count, 1)
    try tamper { $0[roots[roots.count - 1]] = nil }
    XCTAssertFalse(try problems().isEmpty)
    try tamper { $0[roots[0]]?[0] ^= 1 }
    XCTAssertThrowsError(try problems()) {
      guard case .damagedRow("indexes", _, let reason, _) = $0 as? StorageError else { return XCTFail("\($0)") }
      XCTAssertEqual(
        reason, "a root of the history of index 7: expected bytes that fit their checksum at byte 0")
    }
  }

  func testNodesInEachOthersPlacesAreFound() throws {
    let leaves = nodes(0)
    let (left, right) = (leaves[0], leaves[leaves.count - 1])
    try tamper { entries in (entries[left], entries[right]) = (entries[right], entries[left]) }
    let found = try problems()
    XCTAssertTrue(found.contains(.bounds(id(left))) || found.contains(.bounds(id(right))), "\(found)")
    let node = HistoryNodeID(born: 3, number: 2)
    XCTAssertEqual(
      HistoryProblem.bounds(node).description, "node 2 of position 3 has rows outside of its range")
    XCTAssertEqual(
      HistoryProblem.counts(node).description, "node 2 of position 3 has other rows than the node above it counts")
  }

  func testANodeOnAWrongLevelIsFound() throws {
    let leaf = try XCTUnwrap(nodes(0).first)
    let inner = try XCTUnwrap(nodes(1).first)
    try tamper { $0[leaf] = $0[inner] }
    XCTAssertTrue(try problems().contains(.level(id(leaf))))
    let text = "node \(id(leaf).number) of position \(id(leaf).born) is on a wrong level"
    XCTAssertTrue(try problems().map(\.description).contains(text))
  }

  func testARowOfNoKnownFormIsFound() throws {
    let key: [UInt8] = [0, 0, 0, 7, IndexHistory.level, 9, 1]
    try tamper { $0[key] = [] }
    XCTAssertEqual(try problems(), [.row(key)])
    XCTAssertEqual(
      try problems().map(\.description), ["it has a row of no known form, with the key 00000007ff0901"])
  }

  func testOtherRowsAtAPastPositionAreFound() throws {
    let sum = try read { view throws(StorageError) in try self.history.verify(from: 1, in: view).sum }
    // A change of the history alone, of which the log does not know.
    var changes = IndexChanges(index: 7)
    changes.begin(saveAt: head + 1)
    changes.add(key(5), isInsert: true)
    try environment.write { transaction throws(StorageError) in try self.history.apply(changes, in: transaction) }
    XCTAssertEqual(try problems(), [])
    XCTAssertNotEqual(try read { view throws(StorageError) in try self.history.verify(from: 1, in: view).sum }, sum)
    XCTAssertEqual(HistoryProblem.rows.description, "at some position it has other rows than the log makes")
  }

  // MARK: Writers

  func testASaveOfARowThatTheHistoryHasIsRefused() throws {
    let row = key(11)
    try tamper { entries in _ = entries }
    var changes = IndexChanges(index: 7)
    changes.begin(saveAt: head + 1)
    changes.add(key(10), isInsert: true)
    XCTAssertThrowsError(
      try environment.write { transaction throws(StorageError) in try self.history.apply(changes, in: transaction) }
    ) { self.expect($0, refuses: .insert(key(10))) }
    var others = IndexChanges(index: 7)
    others.begin(saveAt: head + 1)
    others.add(row, isInsert: false)
    XCTAssertThrowsError(
      try environment.write { transaction throws(StorageError) in try self.history.apply(others, in: transaction) }
    ) { self.expect($0, refuses: .delete(row)) }
  }
}
