import RepriseObjectGraph
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectModel

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
      for try await transaction in store.feed(after: 10) {
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
      for try await transaction in store.feed(after: 0, matching: TransactionFilter(excludingAuthors: ["sync"])) {
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

  func testACancelledReaderEnds() async throws {
    let opened = try TestStore()
    let store = opened.store
    let reader = Task {
      var count = 0
      for try await _ in store.feed(after: 0) { count += 1 }
      return count
    }
    reader.cancel()
    _ = try await reader.value
  }

  func testAClosedStoreEndsItsFeeds() async throws {
    let opened = try TestStore()
    let store = opened.store
    let reader = Task {
      for try await _ in store.feed(after: store.head) {}
      return true
    }
    try await store.close()
    let ended = try await reader.value
    XCTAssertTrue(ended)
  }

  func testTheSavesOfAnotherProcessComeAsWell() async throws {
    let opened = try TestStore()
    let store = opened.store
    let start = store.head
    let id = AnyObjectID(Item.entity.interned, UniqueID())
    try store.appendAsAnotherProcess([(id, .inserted(Item.entity.defaults))])
    let reader = Task {
      for try await transaction in store.feed(after: start) { return transaction.position }
      return Position(0)
    }
    let position = try await reader.value
    XCTAssertEqual(position, start + 1)
  }

  @MainActor func testAContextFollowsWhatAnotherProcessSavesOnceItWasTold() async throws {
    let opened = try TestStore()
    let store = opened.store
    let context = store.mainContext
    XCTAssertFalse(store.followsOtherProcesses)
    store.followsOtherProcesses = true
    for _ in 0..<3 {
      let next = store.head + 1
      let id = AnyObjectID(Item.entity.interned, UniqueID())
      try store.appendAsAnotherProcess([(id, .inserted(Item.entity.defaults))])
      // Nothing here reads the store: without the system's word this waits for ever.
      while context.position < next { try await Task.sleep(for: .milliseconds(1)) }
    }
    store.followsOtherProcesses = false
    try await store.close()
  }

  func testWhoNoLongerFollowsHasNoThread() async throws {
    let opened = try TestStore()
    let store = opened.store
    for _ in 0..<3 {
      store.followsOtherProcesses = true
      let feed = OtherProcesses.Interest(store)
      store.followsOtherProcesses = false
      XCTAssertTrue(store.others.isWatching)
      _ = consume feed
      XCTAssertFalse(store.others.isWatching)
    }
  }
}
