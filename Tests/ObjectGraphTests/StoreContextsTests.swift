import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import Synchronization
import XCTest

@testable import RepriseObjectGraph

/// Work of many requests at once loses nothing, and is not half done.
final class StoreContextsTests: XCTestCase {
  private struct Refusal: Error {}

  private final class Counter: Sendable {
    let count = Guarded(0)
  }

  func testNoneOfManyConcurrentAdditionsIsLost() async throws {
    let opened = try TestStore()
    let store = opened.store
    let id = try await store.write { context in context.insert(Item(name: "Chair")).id }.result
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 {
            try await store.write("Add", author: "Ada", attempts: .max) { try $0.object(id).valueInDollars += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    let value = try await store.read { try $0.object(id).valueInDollars }
    XCTAssertEqual(value, 160)
    XCTAssertEqual(try store.log.transactions(limit: .max, matching: TransactionFilter(authors: ["Ada"])).count, 160)
  }

  func testManyWritesOfOneNumberAllSucceed() async throws {
    let opened = try TestStore()
    let store = opened.store
    let id = try await store.write { context in context.insert(Item(name: "Chair")).id }.result
    let runs = Counter()
    let failures = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<300 {
        group.addTask {
          do {
            try await store.write { context in
              runs.count.withLock { $0 += 1 }
              try context.object(id).valueInDollars += 1
              // As a body that waits for something else.
              await Task.yield()
            }
            return nil
          } catch {
            return "\(error)"
          }
        }
      }
      var failures: [String] = []
      for await failure in group { if let failure { failures.append(failure) } }
      return failures
    }
    XCTAssertEqual(failures, [])
    let value = try await store.read { try $0.object(id).valueInDollars }
    XCTAssertEqual(value, 300)
    XCTAssertLessThan(runs.count.withLock { $0 }, 300 * 6, "they keep each other from it")
  }

  func testAConflictWithNobodyElseIsNotTriedAgain() async throws {
    let opened = try TestStore()
    let item = AnyObjectID(Item.entity.interned, UniqueID())
    let values = Item.entity.defaults
    _ = await opened.store.save(SaveRequest(base: opened.store.log.head, changes: [(item, .inserted(values))]))
    var runs = 0
    do {
      try await opened.store.write { context in
        runs += 1
        context.record(item, .inserted(values))
      }
      XCTFail("saved")
    } catch SaveError.refused {}
    XCTAssertEqual(runs, 1)
  }

  func testAWriteWithinAWriteDoesNotWaitForIt() async throws {
    let opened = try TestStore()
    let store = opened.store
    let id = try await store.write { context in context.insert(Item(name: "Chair")).id }.result
    var runs = 0
    try await store.write { context in
      runs += 1
      try context.object(id).name = "Stool"
      if runs < 4 {
        // It has to run again itself, while the outer one has its turn.
        var inner = 0
        try await store.write { context in
          inner += 1
          try context.object(id).name = "Bench \(runs)"
          if inner < 3 { try await store.write { try $0.object(id).name = "Table \(runs) \(inner)" } }
        }
      }
    }
    XCTAssertEqual(runs, 4)
    let name = try await store.read { try $0.object(id).name }
    XCTAssertEqual(name, "Stool")
  }

  /// The task is not the one that has the turn.
  func testAWriteInATaskOfAWriteDoesNotWaitForIt() async throws {
    let opened = try TestStore()
    let store = opened.store
    let id = try await store.write { context in context.insert(Item(name: "Chair")).id }.result
    var runs = 0
    try await store.write { context in
      runs += 1
      try context.object(id).name = "Stool"
      guard runs < 4 else { return }
      try await Task {
        let inner = Atomic<Int>(0)
        try await store.write { context in
          try context.object(id).name = "Bench"
          if inner.add(1, ordering: .relaxed).newValue < 3 { try await store.write { try $0.object(id).name += "!" } }
        }
      }.value
    }
    XCTAssertEqual(runs, 4)
  }

  func testABodyThatThrowsSavesNothing() async throws {
    let opened = try TestStore()
    let head = opened.store.log.head
    do {
      try await opened.store.write { context in
        context.insert(Item(name: "Chair"))
        throw Refusal()
      }
      XCTFail("saved")
    } catch is Refusal {}
    XCTAssertEqual(opened.store.log.head, head)
    await opened.store.read { _ = $0.insert(Item(name: "Chair")) }
    XCTAssertEqual(opened.store.log.head, head)
  }

  func testTheLastConflictIsToldWhenTheAttemptsAreUsedUp() async throws {
    let opened = try TestStore()
    let store = opened.store
    let id = try await store.write { context in context.insert(Item(name: "Chair")).id }.result
    var runs = 0
    do {
      try await store.write(attempts: 3) { context in
        runs += 1
        try context.object(id).name = "Stool \(runs)"
        // Somebody else is always faster.
        try await store.write { try $0.object(id).name = "Bench \(runs)" }
      }
      XCTFail("saved")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.conflicts.map(\.object), [id.any])
    }
    XCTAssertEqual(runs, 3)
    let name = try await store.read { try $0.object(id).name }
    XCTAssertEqual(name, "Bench 3")
  }

  func testAWriteTellsWhereItIsAndWaitsLongerBeforeEachFurtherRun() async throws {
    let opened = try TestStore()
    let store = opened.store
    let added = try await store.write("Add") { context in context.insert(Item(name: "Chair")).id }
    let id = added.result
    XCTAssertEqual(added.position, store.log.head)
    XCTAssertEqual(try store.log.transaction(at: added.position)?.inserted, [id.any])
    var waits: [Int] = []
    var runs = 0
    let renamed = try await store.write(
      nil, author: nil, metadata: [:], attempts: 5, isSerializable: false, waiting: { waits.append($0) }
    ) { context in
      runs += 1
      try context.object(id).name = "Stool \(runs)"
      if runs < 4 { try await store.write { try $0.object(id).name = "Bench \(runs)" } }
      return runs
    }
    XCTAssertEqual(waits, [2, 3], "the first further run begins a turn")
    XCTAssertEqual(renamed.result, 4)
    XCTAssertEqual(renamed.position, store.log.head)
    let nothing = try await store.write { _ in }
    XCTAssertEqual(nothing.position, store.log.head)
  }

  func testACancelledWriteDoesNotRunAgain() async throws {
    let opened = try TestStore()
    let store = opened.store
    let id = try await store.write { context in context.insert(Item(name: "Chair")).id }.result
    let task = Task {
      try await store.write(attempts: .max) { context in
        try context.object(id).name = "Stool"
        try await store.write { try $0.object(id).name = "Bench \(UInt64.random(in: 0...(.max)))" }
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    do {
      _ = try await task.value
      XCTFail("saved")
    } catch is CancellationError {}
  }

  @MainActor func testAContextWithADraftCanBeMadeToStay() async throws {
    let opened = try TestStore()
    let pinned = try RootContext(opened.store, draft: "editor", followsHead: false)
    let position = pinned.position
    try await opened.store.write { _ = $0.insert(Item(name: "Chair")) }
    for _ in 0..<10 { await Task.yield() }
    XCTAssertFalse(pinned.followsHead)
    XCTAssertEqual(pinned.position, position)
  }

  func testAContextMadeToStayStaysWhereItIs() async throws {
    let opened = try TestStore()
    let pinned = RootContext(opened.store, followsHead: false)
    let position = pinned.position
    try await opened.store.write { _ = $0.insert(Item(name: "Chair")) }
    await Task.yield()
    XCTAssertFalse(pinned.followsHead)
    XCTAssertEqual(pinned.position, position)
    XCTAssertEqual(try pinned.count(Fetch<Item>()), 0)
    try pinned.refresh()
    XCTAssertEqual(try pinned.count(Fetch<Item>()), 1)
  }

  func testASaveMayHaveAnAuthorOfItsOwn() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, author: "Ada")
    context.insert(Item(name: "Chair"))
    let bobs = try await context.save("Add", by: "Bob")
    context.insert(Item(name: "Stool"))
    let adas = try await context.save()
    XCTAssertEqual(try opened.store.log.transaction(at: bobs)?.author, "Bob")
    XCTAssertEqual(try opened.store.log.transaction(at: adas)?.author, "Ada")
  }

  func testTheStepToRedoHasItsName() async throws {
    let opened = try TestStore()
    let context = try RootContext(opened.store, draft: "main")
    let chair = context.insert(Item(name: "Chair"))
    context.group("Rename") { chair.name = "Stool" }
    XCTAssertNil(context.redoName)
    context.undo()
    XCTAssertEqual(context.redoName, "Rename")
    XCTAssertNil(context.undoName)
    try await opened.kill()
    let resumed = try RootContext(opened.store, draft: "main")
    XCTAssertEqual(resumed.redoName, resumed.canRedo ? "Rename" : nil)
    resumed.redo()
    XCTAssertNil(resumed.redoName)
  }
}
