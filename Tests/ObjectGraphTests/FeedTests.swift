import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Each transaction comes to each reader exactly once.
final class FeedTests: XCTestCase {
  func testWhatWasSavedBeforeAndWhatIsSavedLaterComesOnce() async throws {
    let opened = try TestStore()
    let store = opened.store
    let context = RootContext(store, isolation: nil)
    for number in 0..<50 {
      context.insert(Item(name: "\(number)"))
      try await context.save()
    }
    let reader = Task {
      var positions: [Position] = []
      for try await transaction in store.log.feed(after: try store.log.token(at: 10)) {
        positions.append(transaction.position)
        if transaction.name == "last" { break }
      }
      return positions
    }
    for number in 50..<100 {
      context.insert(Item(name: "\(number)"))
      try await context.save()
    }
    context.insert(Item(name: "last"))
    let last = try await context.save("last")
    let positions = try await reader.value
    XCTAssertEqual(positions, (11...last).map { $0 })
  }

  func testAFilteredFeedWaitsBeyondWhatDoesNotMatch() async throws {
    let opened = try TestStore()
    let store = opened.store
    let mine = RootContext(store, author: "sync", isolation: nil)
    let theirs = RootContext(store, author: "Ada", isolation: nil)
    let reader = Task {
      var names: [String] = []
      for try await transaction in store.log.feed(after: nil, matching: TransactionFilter(excludingAuthors: ["sync"])) {
        names.append(transaction.name ?? "")
        if names.last == "end" { break }
      }
      return names
    }
    for number in 0..<40 {
      mine.insert(Item(name: "\(number)"))
      try await mine.save("mine")
      if number.isMultiple(of: 20) {
        theirs.insert(Item(name: "\(number)"))
        try await theirs.save("theirs")
      }
    }
    theirs.insert(Item(name: "end"))
    try await theirs.save("end")
    let names = try await reader.value
    // Opening the store declared the models, without an author.
    XCTAssertEqual(names.filter { !$0.isEmpty }, ["theirs", "theirs", "end"])
  }

  /// What was saved after the restore has the positions of what was lost.
  func testAFollowerOfARestoredStoreIsNotResumed() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    func save(_ name: String) async throws -> LogToken {
      context.insert(Item(name: name))
      let position = try await context.save(name)
      return try opened.store.log.token(at: position)
    }
    let kept = try await save("kept")
    let backup = opened.path + "-backup"
    defer { try? FileManager.default.removeItem(atPath: backup) }
    try await StoreMaintenance.backup(opened.store, to: backup)
    let lost = try await save("lost")
    let far = try await save("far")
    XCTAssertEqual(try opened.store.log.transaction(at: lost.position)?.token, lost)
    let restored = try Store.openNow(backup, for: opened.schema, StoreOptions())
    let again = RootContext(restored, isolation: nil)
    again.insert(Item(name: "after"))
    try await again.save("after")
    for token in [lost, far] {
      let expected = StoreError.otherLog(path: backup, token: token.position, head: restored.log.head)
      do {
        for try await _ in restored.log.feed(after: token) { break }
        XCTFail("\(token) was resumed")
      } catch {
        XCTAssertEqual("\(error)", expected.description)
      }
      XCTAssertThrowsError(try restored.log.transactions(after: token)) {
        XCTAssertEqual("\($0)", expected.description)
      }
    }
    for try await transaction in restored.log.feed(after: kept) {
      XCTAssertEqual(transaction.name, "after")
      break
    }
    XCTAssertEqual(try restored.log.transactions(after: kept).map { $0.name }, ["after"])
    XCTAssertThrowsError(try restored.log.transactions(after: restored.log.head + 1))
    XCTAssertThrowsError(try restored.log.token(at: restored.log.head + 1))
    try await restored.close()
  }

  /// The position of what was lost is another transaction's now: only its hash tells.
  func testAHistoryAfterALostTransactionWhosePlaceIsTakenIsRefused() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    let item = context.insert(Item(name: "kept"))
    let person = context.insert(Person(name: "Ada"))
    item.owner = person
    let kept = try opened.store.log.token(at: try await context.save("kept"))
    let owner = person.id
    let backup = opened.path + "-backup"
    defer { try? FileManager.default.removeItem(atPath: backup) }
    try await StoreMaintenance.backup(opened.store, to: backup)
    item.name = "lost"
    let lost = try opened.store.log.token(at: try await context.save("lost"))
    let restored = try Store.openNow(backup, for: opened.schema, StoreOptions())
    let again = RootContext(restored, isolation: nil)
    let same = try again.object(owner)
    again.insert(Item(name: "other")).owner = same
    let other = try await again.save("other")
    XCTAssertEqual(other, lost.position)
    let expected = StoreError.otherLog(path: backup, token: lost.position, head: restored.log.head).description
    let fetch = Fetch<Item> { $0.name != "" }
    let (log, id, head) = (restored.log, item.id.any, try restored.log.headToken())
    let histories: [(name: String, count: Int, history: (LogToken) throws -> Int)] = [
      ("of a fetch", 1, { try again.history(of: fetch, after: $0).count }),
      ("of a fetch before it", 0, { try again.history(of: fetch, before: $0).count }),
      ("of a relationship", 1, { try again.history(of: same, { $0.items }, after: $0).count }),
      ("of a relationship before it", 0, { try again.history(of: same, { $0.items }, before: $0).count }),
      ("of an object before it", 0, { try log.history(of: id, before: $0).count }),
      (
        "a difference from it", 1,
        { try log.difference(from: $0, to: head).changes.count(where: { $0.kind == .inserted }) }
      ),
      (
        "a difference to it", 1,
        { try log.difference(from: head, to: $0).changes.count(where: { $0.kind == .deleted }) }
      ),
      ("the store as it was", 1, { try restored.context(at: $0, isolation: nil).count(Fetch<Item>()) }),
    ]
    for (name, count, history) in histories {
      XCTAssertThrowsError(try history(lost), name) { XCTAssertEqual("\($0)", expected, name) }
      XCTAssertEqual(try history(kept), count, name)
    }
    try await restored.close()
  }

  func testAHistoryFromAPositionThatARestoredStoreLacksIsRefused() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    let item = context.insert(Item(name: "kept"))
    let person = context.insert(Person(name: "Ada"))
    item.owner = person
    try await context.save("kept")
    let (id, owner) = (item.id, person.id)
    let backup = opened.path + "-backup"
    defer { try? FileManager.default.removeItem(atPath: backup) }
    try await StoreMaintenance.backup(opened.store, to: backup)
    item.name = "lost"
    let lost = try await context.save("lost")
    let restored = try Store.openNow(backup, for: opened.schema, StoreOptions())
    let again = RootContext(restored, isolation: nil)
    let expected = StoreError.otherLog(path: backup, token: lost, head: restored.log.head).description
    let (fetch, same) = (Fetch<Item> { $0.name != "" }, try again.object(owner))
    let histories: [(String, () throws -> Int)] = [
      ("of a fetch after it", { try again.history(of: fetch, after: lost).count }),
      ("of a fetch up to it", { try again.history(of: fetch, upTo: lost).count }),
      ("of a relationship after it", { try again.history(of: same, { $0.items }, after: lost).count }),
      ("of an object up to it", { try restored.log.history(of: id.any, upTo: lost).count }),
    ]
    for (name, history) in histories {
      XCTAssertThrowsError(try history(), name) { XCTAssertEqual("\($0)", expected, name) }
    }
    XCTAssertEqual(try again.history(of: fetch, upTo: restored.log.head).count, 1)
    do {
      try await restored.log.retain(.from(lost))
      XCTFail("it deleted all that the backup had")
    } catch {
      XCTAssertEqual("\(error)", expected)
    }
    XCTAssertEqual(try restored.log.firstPosition, 1)
    try await restored.close()
  }

  func testATokenOfAnotherStoreIsNotResumed() async throws {
    let (one, other) = (try TestStore(), try TestStore())
    XCTAssertThrowsError(try other.store.log.transactions(after: one.store.log.headToken()))
    XCTAssertEqual(try one.store.log.transactions(after: one.store.log.token(at: 0)).count, 1)
  }

  func testACancelledReaderEnds() async throws {
    let opened = try TestStore()
    let store = opened.store
    let reader = Task {
      var count = 0
      for try await _ in store.log.feed(after: nil) { count += 1 }
      return count
    }
    reader.cancel()
    _ = try await reader.value
  }

  func testAClosedStoreEndsItsFeeds() async throws {
    let opened = try TestStore()
    let store = opened.store
    let head = try store.log.headToken()
    let reader = Task {
      for try await _ in store.log.feed(after: head) {}
      return true
    }
    try await store.close()
    let ended = try await reader.value
    XCTAssertTrue(ended)
  }

  func testTheSavesOfAnotherProcessComeAsWell() async throws {
    let opened = try TestStore()
    let store = opened.store
    let start = store.log.head
    let id = AnyObjectID(Item.entity.interned, UniqueID())
    try store.appendAsAnotherProcess([(id, .inserted(Item.entity.defaults))])
    let reader = Task {
      for try await transaction in store.log.feed(after: try store.log.token(at: start)) { return transaction.position }
      return Position(0)
    }
    let position = try await reader.value
    XCTAssertEqual(position, start + 1)
  }
}
