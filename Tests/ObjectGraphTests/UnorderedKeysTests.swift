import Foundation
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore
@testable import RepriseJournal
@testable import RepriseLMDB

/// Damaged keys lead walks back to where they were. Each of these calls went on for ever.
final class UnorderedKeysTests: XCTestCase {
  private struct Values: LogProjection {
    let name = "values"
    let version = 1
    func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
      for id in transaction.inserted { rows[number: [.string("\(id)")]] += 1 }
    }
  }

  /// A store with pages enough that each table has branches.
  private func makeStore(transactions: Int = 150, withFloor: Bool = false) async throws -> TestStore {
    let test = try TestStore()
    try await test.store.log.install(Values())
    let context = RootContext(test.store, author: "Ada", isolation: nil)
    for number in 0..<transactions {
      for part in 0..<4 { context.insert(Item(name: "\(number) \(part)", valueInDollars: number)) }
      try await context.save("Add")
    }
    try await test.store.log.waitForProjections()
    if withFloor { try await test.store.log.retain(.last(transactions / 2)) }
    return test
  }

  private func move(_ key: [UInt8], to newKey: [UInt8], in test: TestStore) throws {
    let log = test.store.tables.log
    try test.store.environment.write { (transaction) throws(StorageError) in
      guard let value = try transaction.view.get(log, key: key.span.bytes)?.withUnsafeBytes({ [UInt8]($0) }) else {
        return XCTFail("no row")
      }
      try transaction.delete(log, key: key.span.bytes)
      try transaction.put(log, key: newKey.span.bytes, value: value.span.bytes)
    }
  }

  private func key(_ position: UInt64) -> [UInt8] { withUnsafeBytes(of: position.bigEndian) { [UInt8]($0) } + [0, 0] }

  func testVerifyEndsIfTheLastLogKeyIsFarAhead() async throws {
    for withFloor in [false, true] {
      let test = try await makeStore(transactions: 20, withFloor: withFloor)
      let head = test.store.log.head.number
      try move(key(head), to: key(head | 1 << 60), in: test)
      let report = try StoreMaintenance.verifyNow(test.store)
      XCTAssertTrue(report.problems.contains { $0.contains("goes on to transaction \(head | 1 << 60)") }, "\(report)")
      try await test.store.close()
      for checksStructure in [false, true] {
        var options = StoreOptions()
        options.checksStructure = checksStructure
        XCTAssertThrowsError(try Store.openNow(test.path, for: test.schema, options)) { error in
          guard case StoreError.damaged? = error as? StoreError else { return XCTFail("\(error)") }
        }
      }
    }
  }

  func testALogThatGoesOnBehindTheLastSaveIsRefused() async throws {
    let test = try await makeStore(transactions: 3)
    let log = test.store.tables.log
    let extra = key(test.store.log.head.number + 1)
    try test.store.environment.write { (transaction) throws(StorageError) in
      try transaction.put(log, key: extra.span.bytes, value: [1, 2, 3].span.bytes)
    }
    XCTAssertFalse(try StoreMaintenance.verifyNow(test.store).isSound)
    try await test.store.close()
    XCTAssertThrowsError(try test.open()) { error in
      guard case StoreError.damaged(_, let reason)? = error as? StoreError else { return XCTFail("\(error)") }
      XCTAssertTrue(reason.contains("but the last transaction that was saved is"), reason)
    }
  }

  func testAStoreThatDoesNotSayWhereItsLogEndsIsRefused() async throws {
    let test = try await makeStore(transactions: 3)
    let meta = test.store.tables.meta
    let key = MetaKey.head
    try test.store.environment.write { (transaction) throws(StorageError) in
      _ = try transaction.delete(meta, key: key.span.bytes)
    }
    XCTAssertFalse(try StoreMaintenance.verifyNow(test.store).isSound)
    try await test.store.close()
    XCTAssertThrowsError(try test.open())
    try await StoreMaintenance.rebuild(test.path)
    try test.open()
    XCTAssertEqual(try StoreMaintenance.verifyNow(test.store).problems, [])
  }

  func testVerifyEndsIfABranchKeyIsDamaged() async throws {
    var random = SeededGenerator(seed: testSeed())
    for withFloor in [false, true] {
      let test = try await makeStore(withFloor: withFloor)
      let pages = try DamagedPages(of: test.path)
      for table in ["log", "objects", "indexes", "projections"] {
        XCTAssertFalse(pages.branches(of: table).isEmpty, table)
        for branch in pages.branches(of: table) {
          for index in branch.places.dropFirst() {
            let key = try pages.key(index, of: branch)
            for _ in 0..<(table == "log" ? 4 : 1) {
              let offset = Int.random(in: key.suffix(10), using: &random)
              let bit = UInt8.random(in: 0..<8, using: &random)
              try pages.write([branch.page.bytes[offset] ^ 1 << bit], at: offset, of: branch)
              _ = try StoreMaintenance.verifyNow(test.store)
              _ = try? test.store.log.transactions(after: test.store.log.head - 5)
              try pages.restore(branch)
            }
          }
        }
      }
      XCTAssertEqual(try StoreMaintenance.verifyNow(test.store).problems, [])
    }
  }

  func testVerifyFindsKeysInReverseOrder() async throws {
    for withFloor in [false, true] {
      let test = try await makeStore(withFloor: withFloor)
      let pages = try DamagedPages(of: test.path)
      for table in ["log", "objects", "indexes", "projections", "meta"] {
        for leaf in pages.leaves(of: table) where leaf.page.nodeCount > 1 {
          try pages.reverseNodes(of: leaf)
          XCTAssertFalse(try StoreMaintenance.verifyNow(test.store).isSound, "\(table), page \(leaf.number)")
          try pages.restore(leaf)
        }
      }
      XCTAssertEqual(try StoreMaintenance.verifyNow(test.store).problems, [])
    }
  }

  func testAWalkOverKeysInReverseOrderNamesTheTable() async throws {
    let test = try TestStore()
    for id in ["a", "b"] {
      test.store.journal.append([.draftBegan(DraftHeader(id: id, base: test.store.log.head), generation: 1)])
    }
    try test.store.journal.flush()
    try await test.store.journals.checkpoint()
    let pages = try DamagedPages(of: test.path)
    try pages.reverseNodes(of: try XCTUnwrap(pages.leaves(of: "drafts").first))
    let rows = ChunkedRows(test.store.tables.drafts, numbersFirst: true)
    XCTAssertThrowsError(
      try test.store.environment.write { (transaction) throws(StorageError) in
        try rows.scan(transaction.view, from: RawSpan()) { _, _ in true }
      }
    ) { XCTAssertEqual(($0 as? StorageError)?.damage, "the keys of the table 'drafts' are out of order") }
  }

  /// A save removes the rows of its draft, while it holds LMDB's lock of all writers.
  func testASaveEndsIfABranchKeyOfDraftsIsDamaged() async throws {
    var random = SeededGenerator(seed: testSeed())
    let test = try TestStore()
    let ids = (0..<200).map { "draft \($0)" }
    for id in ids {
      test.store.journal.append([.draftBegan(DraftHeader(id: id, base: test.store.log.head), generation: 1)])
    }
    try test.store.journal.flush()
    try await test.store.journals.checkpoint()
    let (drafts, environment) = (test.store.tables.drafts, test.store.environment)
    let pages = try DamagedPages(of: test.path)
    XCTAssertFalse(pages.branches(of: "drafts").isEmpty)
    var refused = 0
    for branch in pages.branches(of: "drafts") {
      // Of some keys most bits mislead nobody.
      for index in repeatElement(branch.places.dropFirst(), count: 24).joined() {
        let offset = Int.random(in: try pages.key(index, of: branch).prefix(12), using: &random)
        let bit = UInt8.random(in: 0..<8, using: &random)
        try pages.write([branch.page.bytes[offset] ^ 1 << bit], at: offset, of: branch)
        for id in ids {
          do throws(StorageError) {
            try environment.write { (transaction) throws(StorageError) in
              try DraftRows.consume(.draft(id), upTo: .max, transaction, drafts)
              // Nothing is written, so that the page stays as it is.
              throw StorageError.badTransaction(.init(.commit, test.path))
            }
          } catch {
            if error.damage != nil { refused += 1 }
          }
        }
        try pages.restore(branch)
      }
    }
    XCTAssertGreaterThan(refused, 0)
  }

  func testRetainEndsIfALogRowHasAnotherKey() async throws {
    let extra: [[UInt8]] = [[0], [0, 0, 0], key(0), [UInt8](key(2).dropLast()), key(2) + [9], key(1) + [0, 0, 0, 0]]
    for key in extra {
      let test = try await makeStore(transactions: 12)
      let log = test.store.tables.log
      try test.store.environment.write { (transaction) throws(StorageError) in
        try transaction.put(log, key: key.span.bytes, value: [1, 2, 3].span.bytes)
      }
      let report = try await test.store.log.retain(.last(3))
      XCTAssertEqual(report.firstPosition, test.store.log.head - 2, "\(key)")
      XCTAssertEqual(try StoreMaintenance.verifyNow(test.store).problems, [], "\(key)")
      XCTAssertFalse(try hasRows(before: report.firstPosition, test), "\(key)")
    }
  }

  private func hasRows(before floor: Position, _ test: TestStore) throws -> Bool {
    let log = test.store.tables.log
    return try test.store.environment.read { (transaction) throws(StorageError) in
      var cursor = try transaction.view.cursor(log)
      let end = withUnsafeBytes(of: floor.number.bigEndian) { [UInt8]($0) }
      return try cursor.first()?.key.withUnsafeBytes { $0.lexicographicallyPrecedes(end) } ?? false
    }
  }

  /// As on a file system that has no locks of open file descriptions.
  func testRetainThrowsIfNobodyCanTellWhatIsNeeded() throws {
    XCTAssertThrowsError(try PinnedPositions.first(before: 3, path: "/nowhere/data.mdb"))
    XCTAssertThrowsError(
      try PinnedPositions.whileFree(before: 3, path: "/nowhere/data.mdb") { () throws(StorageError) in true })
  }
}
