import RepriseCore
import RepriseEventStore
import RepriseSystem
import RepriseTestModels
import RepriseTesting
import XCTest

/// What counts before a program goes to the background. The journal's own thread writes nothing within these tests.
@MainActor final class FlushTests: XCTestCase {
  private let disk = FailingDisk()

  private func store() throws -> TemporaryStore {
    var journal = JournalOptions()
    (journal.aim, journal.turnLimit) = (1_000_000_000_000, 1_000_000_000_000)
    let disk = disk
    journal.file = { FailingFile($0, disk) }
    return try TemporaryStore(for: Schema(Item.self, Person.self), journal: journal)
  }

  private func launch(_ store: Store) async throws -> Restoration {
    let run = Restoration(store)
    try run.definePlain()
    try await run.restore()
    return run
  }

  private func typed(_ store: Store) throws -> [String] {
    try store.mainContext.makeChild(draft: "editor").fetch(Fetch<Item>()).map(\.name)
  }

  func testWhatWasTypedInThisTurnAndItsScreenOutliveAKillOnceFlushed() async throws {
    for durable in [false, true] {
      let temporary = try store()
      let run = try await launch(temporary.store)
      let editor = try temporary.store.mainContext.makeChild(draft: "editor")
      editor.insert(Item(name: "Typed"))
      try run.openPlain("list", 1).node.state.row = 7
      try await run.flush(durable: durable)
      let next = try await temporary.relaunch(losingTick: true)
      XCTAssertEqual(try typed(next), ["Typed"], "durable: \(durable)")
      let again = try await launch(next)
      XCTAssertEqual(try again.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 7, "durable: \(durable)")
    }
  }

  func testWithoutAFlushTheseTestsWouldFail() async throws {
    let temporary = try store()
    let editor = try temporary.store.mainContext.makeChild(draft: "editor")
    editor.insert(Item(name: "Typed"))
    let next = try await temporary.relaunch(losingTick: true)
    XCTAssertEqual(try typed(next), [])
  }

  func testAFlushThatCannotWriteSaysSoAndLosesNothing() async throws {
    let temporary = try store()
    let run = try await launch(temporary.store)
    let editor = try temporary.store.mainContext.makeChild(draft: "editor")
    editor.insert(Item(name: "Typed"))
    disk.fail(true)
    do {
      try await run.flush()
      XCTFail("nothing was written")
    } catch RestorationError.store(.journal) {
    }
    disk.fail(false)
    try await run.flush()
    let next = try await temporary.relaunch(losingTick: true)
    XCTAssertEqual(try typed(next), ["Typed"])
  }

  func testAJournalThatCannotBeWrittenIsToldOnceToEachWindow() async throws {
    var journal = JournalOptions()
    (journal.aim, journal.retryInterval) = (1_000_000, 1_000_000)
    let disk = disk
    journal.file = { FailingFile($0, disk) }
    let temporary = try TemporaryStore(for: Schema(Item.self, Person.self), journal: journal)
    let one = try await launch(temporary.store)
    let two = Restoration(temporary.store, scene: "second window")
    try await two.restore()
    var problems: [String: [RestorationError]] = [:]
    one.onProblem = { problems["one", default: []].append($0) }
    two.onProblem = { problems["two", default: []].append($0) }
    disk.fail(true)
    let editor = try temporary.store.mainContext.makeChild(draft: "editor")
    editor.insert(Item(name: "Typed"))
    await fulfillment(of: [disk.hasFailed(times: 20)], timeout: 60)
    while problems.count < 2 { await Task.yield() }
    XCTAssertEqual(problems.mapValues(\.count), ["one": 1, "two": 1])
    guard case .store(.journal)? = problems["one"]?.first else { return XCTFail("\(problems)") }
    disk.fail(false)
    try await one.flush()
    let next = try await temporary.relaunch()
    XCTAssertEqual(try typed(next), ["Typed"])
  }

  func testAFlushDoesNotCutATurnThatBeginsWhileItWaits() async throws {
    for durable in [false, true] {
      let temporary = try store()
      let store = temporary.store
      let editor = try store.mainContext.makeChild(draft: "editor")
      editor.insert(Item(name: "Before"))
      await Task { @MainActor in }.value
      let (isWriting, goesOn, isFlushed) = (WakeUp(), WakeUp(), WakeUp())
      disk.hold(isWriting, until: goesOn)
      Task.detached { try store.journal.write() }
      isWriting.wait(until: nil)
      Task.detached {
        try await store.flush(durable: durable)
        isFlushed.wake()
      }
      // By then it waits behind the other one.
      try await Task.sleep(for: .milliseconds(100))
      editor.insert(Item(name: "Half of a turn"))
      goesOn.wake()
      isFlushed.wait(until: nil)
      let next = try await temporary.relaunch(losingTick: true)
      XCTAssertEqual(try typed(next), ["Before"], "durable: \(durable)")
    }
  }

  func testAFlushOfOneWindowKeepsTheScreensOfOthersWithTheEditsOfTheTurn() async throws {
    let temporary = try store()
    let one = try await launch(temporary.store)
    let two = Restoration(temporary.store, scene: "second window")
    try two.definePlain()
    try await two.restore()
    let screen = try two.openPlain("list", 1)
    try await two.flush()
    let editor = try temporary.store.mainContext.makeChild(draft: "editor")
    editor.insert(Item(name: "Typed"))
    screen.node.state.row = 7
    try await one.flush()
    let next = try await temporary.relaunch(losingTick: true)
    XCTAssertEqual(try typed(next), ["Typed"])
    let archive = try XCTUnwrap(try Restoration.archive(of: "second window", in: next))
    XCTAssertEqual(archive.nodes.map(\.state), [["row": 7]])
  }

  /// Closes a store off the main actor, whose turn goes on for longer than a flush would wait for it.
  private static func closeElsewhere(_ store: Store) async throws {
    let closing = Task.detached { try await store.close() }
    WakeUp().wait(until: WakeUp.now() + 500_000_000)
    try await closing.value
  }

  /// A save, a flush or a close in the middle of a turn: its screens must not stay behind its edits.
  func testNoCallLeavesTheScreensOfItsTurnBehind() async throws {
    let calls: [(name: String, call: @MainActor (Store) async throws -> Void)] = [
      ("flush", { try await $0.flush() }),
      ("durable flush", { try await $0.flush(durable: true) }),
      ("flush elsewhere", { store in try await Task.detached { try await store.flush() }.value }),
      ("save", { try await $0.mainContext.save() }),
      ("save by another", { try await $0.mainContext.save("Edit", by: "somebody") }),
      ("close", { try await $0.close() }),
      ("close elsewhere in a long turn", { try await Self.closeElsewhere($0) }),
    ]
    for (name, call) in calls {
      let temporary = try store()
      let run = try await launch(temporary.store)
      let screen = try run.openPlain("list", 1)
      let editor = try temporary.store.mainContext.makeChild(draft: "editor")
      try await run.flush()
      temporary.store.mainContext.insert(Item(name: "Saved"))
      editor.insert(Item(name: "Typed"))
      screen.node.state.row = 7
      try await call(temporary.store)
      let next = try await temporary.relaunch(losingTick: true)
      XCTAssertTrue(try typed(next).contains("Typed"), name)
      let again = try await launch(next)
      XCTAssertEqual(try again.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 7, name)
    }
  }

  func testABackupHasTheScreensOfTheTurnInWhichItIsMade() async throws {
    let temporary = try store()
    let run = try await launch(temporary.store)
    let screen = try run.openPlain("list", 1)
    let editor = try temporary.store.mainContext.makeChild(draft: "editor")
    try await run.flush()
    editor.insert(Item(name: "Typed"))
    screen.node.state.row = 7
    let path = temporary.store.path + "-backup"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await StoreMaintenance.backup(temporary.store, to: path)
    let copy = try await Store.open(path, for: Schema(Item.self, Person.self))
    XCTAssertEqual(try typed(copy), ["Typed"])
    let again = try await launch(copy)
    XCTAssertEqual(try again.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 7)
    try await copy.close()
  }

  func testAFlushOfAClosedStoreIsAnError() async throws {
    let temporary = try store()
    let run = try await launch(temporary.store)
    try await temporary.store.close()
    for flush in [{ try await temporary.store.flush() }, { try await run.flush(durable: true) }] {
      do {
        try await flush()
        XCTFail("a closed store was flushed")
      } catch {
        XCTAssertTrue("\(error)".contains("closed"), "\(error)")
      }
    }
  }
}
