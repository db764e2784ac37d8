import RepriseLMDB
import RepriseLog
import RepriseObjectModel
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

  /// 40 more saves, of so many rows that nodes on each level are replaced.
  private func replaceNodes() throws {
    for number in 0..<40 {
      let rows = (0..<7).flatMap { place in [6, 7].map { place * 420 + number * 10 + $0 } }
      try save(rows.map { .insert(key($0)) })
    }
    whole = try entries()
    XCTAssertEqual(try problems(), [])
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
    let name = "\(id(node))"
    let reason = "\(name) of the history of index 7: expected a matching checksum at byte 0"
    XCTAssertTrue(try problems().contains(.unreadable(reason: reason)))
    XCTAssertTrue(try problems().map(\.description).contains(reason))
  }

  func testAMissingNodeIsFound() throws {
    let node = try XCTUnwrap(nodes(0).first)
    try tamper { $0[node] = nil }
    XCTAssertTrue(try problems().contains(.missingNode(id(node))))
    let name = "tree node \(id(node).number) (added by transaction \(id(node).born))"
    XCTAssertTrue(try problems().map(\.description).contains("\(name) is missing"))
    try read { view throws(StorageError) in
      let past = try PastIndex(self.history, at: self.head, in: view)
      do throws(StorageError) {
        try past?.forEach(from: 0, in: view) { _ in true }
        XCTFail("It was read.")
      } catch {
        self.expectDamage(error, "in its history, \(name) is missing")
      }
    }
  }

  func testANodeThatNothingLeadsToIsFound() throws {
    let node = try XCTUnwrap(nodes(0).first)
    var other = node
    other[17] = 0xEE
    try tamper { $0[other] = $0[node] }
    XCTAssertEqual(try problems(), [.strayNode(id(other))])
    let text =
      "no root of the tree leads to tree node \(id(other).number) (added by transaction \(id(other).born))"
    XCTAssertEqual(try problems().map(\.description), [text])
  }

  func testTheLossOfAReplacementIsFound() throws {
    try replaceNodes()
    var spans = 0
    for replaced in keys(.replaced) {
      try tamper { $0[replaced] = nil }
      let found = try problems()
      XCTAssertFalse(found.isEmpty, "\(replaced)")
      if found.contains(where: { if case .span = $0 { true } else { false } }) { spans += 1 }
    }
    XCTAssertGreaterThan(spans, 0)
    let node = HistoryNodeID(born: 3, number: 2)
    XCTAssertEqual(
      HistoryProblem.span(node).description,
      "tree node 2 (added by transaction 3) was replaced by another transaction than its parent nodes record")
  }

  func testTheLossOfARootIsFound() throws {
    try replaceNodes()
    let roots = keys(.root)
    XCTAssertGreaterThan(roots.count, 1)
    try tamper { $0[roots[roots.count - 1]] = nil }
    XCTAssertFalse(try problems().isEmpty)
    try tamper { $0[roots[0]]?[0] ^= 1 }
    XCTAssertThrowsError(try problems()) {
      guard case .damagedRow("indexes", _, let reason, _) = $0 as? StorageError else { return XCTFail("\($0)") }
      XCTAssertEqual(
        reason, "a tree root of the history of index 7: expected a matching checksum at byte 0")
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
      HistoryProblem.bounds(node).description,
      "tree node 2 (added by transaction 3) has rows outside of the key range that its parent node gives")
    XCTAssertEqual(
      HistoryProblem.counts(node).description,
      "tree node 2 (added by transaction 3) has another number of rows than its parent node counts")
  }

  func testANodeOnAWrongLevelIsFound() throws {
    let leaf = try XCTUnwrap(nodes(0).first)
    let inner = try XCTUnwrap(nodes(1).first)
    try tamper { $0[leaf] = $0[inner] }
    XCTAssertTrue(try problems().contains(.level(id(leaf))))
    let text = "\(id(leaf)) is on a wrong level of the tree"
    XCTAssertTrue(try problems().map(\.description).contains(text))
  }

  func testARowOfNoKnownFormIsFound() throws {
    let key: [UInt8] = [0, 0, 0, 7, IndexHistory.level, 9, 1]
    try tamper { $0[key] = [] }
    XCTAssertEqual(try problems(), [.row(key)])
    XCTAssertEqual(
      try problems().map(\.description), ["it has a row of no known form (key 00000007ff0901)"])
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
    XCTAssertEqual(
      HistoryProblem.rows.description,
      "for at least one transaction, its rows differ from the rows that follow from the log")
  }

  // MARK: Malformed bytes

  /// A root at the position after the last save, in bytes that fit their checksum.
  private func tamper(root content: [UInt8], child: [UInt8]? = nil, record: [UInt8]? = nil) throws {
    let prefix: [UInt8] = [0, 0, 0, 7, IndexHistory.level]
    let position = key(Int(head.number) + 1)
    let chunk = try XCTUnwrap(nodes(0).first).dropFirst(18)
    try tamper { entries in
      entries[prefix + [0] + position] = sealed(record ?? [UInt8(head.number) + 1, 0])
      entries[prefix + [1] + position + [0, 0, 0, 0] + chunk] = sealed(content)
      if let child { entries[prefix + [1] + position + [0, 0, 0, 1] + chunk] = sealed(child) }
    }
  }

  private func sealed(_ content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: content.count)
    writer.append(content)
    return writer.sealed()
  }

  private func readAll() throws {
    try read { view throws(StorageError) in
      try PastIndex(self.history, at: self.head + 3, in: view)?.forEach(from: 0, in: view) { _ in true }
    }
  }

  private func expect(_ reason: String, line: UInt = #line, _ body: () throws -> Void) {
    XCTAssertThrowsError(try body(), line: line) {
      guard case .damagedRow("indexes", _, let found, _) = $0 as? StorageError else {
        return XCTFail("\($0)", line: line)
      }
      XCTAssertEqual(found, reason, line: line)
    }
  }

  func testMalformedNodesAreTypedErrorsForReaders() throws {
    let greatest = [UInt8](repeating: 0xFF, count: 9) + [1]
    for (content, text) in [
      ([], "the level of a node at byte 4"), ([32], "the level of a node at byte 5"),
      ([0, 0x80], "the length of a shared key at byte 6"), ([0, 3], "the length of a shared key at byte 6"),
      ([0, 0, 9], "a row key at byte 7"), ([0, 0, 2, 5, 5, 0, 0, 1, 1, 4], "a later row key at byte 14"),
      ([0, 0, 1, 5, 0x80], "a distance of positions at byte 9"),
      ([0, 0, 1, 5] + greatest, "a distance of positions at byte 18"),
      ([0, 0, 1, 5, 2, 1], "an end of a row that is later than its beginning at byte 10"),
      ([1, 0, 0, 0x80], "the position of a node at byte 8"), ([1, 0, 0, 85], "the position of a node at byte 8"),
      ([1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F], "the number of a node at byte 13"),
      ([1, 0, 0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20], "a number of rows at byte 16"),
      ([1, 0, 0, 0, 0, 0, 1, 9], "the row counts of a node at byte 12"),
      ([1, 0, 0, 0, 1, 0, 1, 2, 0, 2], "a distance of positions at byte 1"),
      ([1, 0, 0, 0, 1, 0, 0, 1, 1], "a number of rows at byte 1"),
      ([1, 0, 0, 0, 1, 0, 0, 2, 1, 1], "a number of rows at byte 2"),
      ([1], "a child in the state after transaction 44 at byte 0"),
      ([2, 0, 0, 0, 0, 0, 1, 0], "a tree node on level 1 at byte 0"),
    ] as [([UInt8], String)] {
      try tamper(root: content)
      expect("tree node 0 (added by transaction 42) of the history of index 7: expected \(text)") { try readAll() }
    }
    try tamper(root: [1, 0, 0, 0, 1, 0, 5, 0], child: [0])
    expect("index 7: in its history, a tree node has fewer rows than it counts") { try readAll() }
  }

  func testMalformedRecordsOfAHistoryAreTypedErrors() throws {
    for (record, text) in [
      ([0x80], "the position of a node at byte 5"), ([42], "the number of a node at byte 5"),
      ([42, 0, 9], "the end of a root at byte 6"),
    ] as [([UInt8], String)] {
      try tamper(root: [0], record: record)
      expect("a tree root of the history of index 7: expected \(text)") { try readAll() }
    }
    try tamper { $0[[0, 0, 0, 7, IndexHistory.level, 3]] = sealed([1, 42, 0, 0, 9]) }
    expect("the record of the unfinished history of index 7: expected the end of the record at byte 8") {
      _ = try read { view throws(StorageError) in try self.history.state(view) }
    }
  }

  func testASaveIntoAMalformedTreeIsATypedError() throws {
    for (content, text) in [
      ([1], "a tree node on level 1 has no child for a row"),
      (
        [2, 0, 0, 0, 0, 0, 1, 0],
        "tree node 0 (added by transaction 42) is on level 2 of the tree instead of level 1"
      ),
    ] as [([UInt8], String)] {
      try tamper(root: content)
      var changes = IndexChanges(index: 7)
      changes.begin(saveAt: head + 2)
      changes.add(key(5), isInsert: true)
      expect("index 7: in its history, \(text)") {
        try environment.write { transaction throws(StorageError) in try self.history.apply(changes, in: transaction) }
      }
    }
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
