import RepriseCore
import RepriseEventStore
import RepriseObjectGraph
import RepriseTestModels
import RepriseTesting
import XCTest

/// Edits in another store than the one with the archive count as those in it do. The journals' own threads write
/// nothing within these tests.
@MainActor final class OtherStoreTests: XCTestCase {
  private enum Keys {
    static let items = RestorationKey<RootContext>("items")
    static let store = RestorationKey<Store>("store")
  }

  private var screens: TemporaryStore!
  private var items: TemporaryStore!
  private let disk = FailingDisk()

  override func setUp() async throws {
    var journal = JournalOptions()
    (journal.aim, journal.turnLimit) = (1_000_000_000_000, 1_000_000_000_000)
    screens = try TemporaryStore(for: Schema(), journal: journal)
    let disk = disk
    journal.file = { FailingFile($0, disk) }
    items = try TemporaryStore(for: Schema(Item.self, Person.self), journal: journal)
  }

  /// A scene whose archive is in a store of its own.
  private func launch(_ archive: Store? = nil, registering store: Store? = nil) async throws -> Restoration {
    let run = Restoration(archive ?? screens.store)
    try run.definePlain()
    // So that a store may be registered later.
    try run.define(object: RestorationKey<Shelf>("needs a store"), initial: 0, needs: .registered(Keys.store)) {
      (_: RestorationNode<Int>, _) in Shelf("")
    }
    if let store { try run.register(store.mainContext, as: Keys.items) }
    try await run.restore()
    return run
  }

  private func type(_ name: String) throws -> EditingContext {
    let editor = try items.store.mainContext.makeChild(draft: "editor")
    editor.insert(Item(name: name))
    return editor
  }

  private func typed() async throws -> [String] {
    let store = try await items.relaunch(losingTick: true)
    return try store.mainContext.makeChild(draft: "editor").fetch(Fetch<Item>()).map(\.name)
  }

  private func lastExit() async throws -> ExitReason? {
    let run = Restoration(try await screens.relaunch(losingTick: true))
    return try await run.restore().lastExit
  }

  func testAFlushWritesTheEditsInAnotherStoreThanTheArchives() async throws {
    for durable in [false, true] {
      try await setUp()
      let run = try await launch(registering: items.store)
      let editor = try type("typed")
      try await run.flush(durable: durable)
      let found = try await typed()
      XCTAssertEqual(found, ["typed"], "durable: \(durable)")
      withExtendedLifetime(editor) {}
    }
  }

  func testWhatIsTypedInAnotherStoreAfterAFlushIsNoCleanExit() async throws {
    for (types, flushes) in [(false, false), (true, false), (true, true)] {
      try await setUp()
      let run = try await launch(registering: items.store)
      try run.openPlain("list", 1)
      try await run.flush()
      let editor = types ? try type("typed") : nil
      if flushes { try await run.flush() }
      let (exit, found) = (try await lastExit(), try await typed())
      XCTAssertEqual(exit, types && !flushes ? .crashed : .clean)
      XCTAssertEqual(found, flushes ? ["typed"] : [])
      withExtendedLifetime(editor) {}
    }
  }

  func testAStoreThatIsRegisteredAfterAFlushIsWatchedAsWell() async throws {
    for flushes in [false, true] {
      try await setUp()
      let run = try await launch()
      try run.openPlain("list", 1)
      try await run.flush()
      try run.register(items.store, as: Keys.store)
      let editor = try type("typed")
      // A screen may still have it.
      run.unregister(Keys.store)
      if flushes { try await run.flush() }
      let (exit, found) = (try await lastExit(), try await typed())
      XCTAssertEqual(exit, flushes ? .clean : .crashed)
      XCTAssertEqual(found, flushes ? ["typed"] : [])
      withExtendedLifetime(editor) {}
    }
  }

  func testAFlushThatCannotWriteAnotherStoreSaysSoAndWritesTheArchive() async throws {
    let run = try await launch(registering: items.store)
    try run.openPlain("list", 7)
    let editor = try type("typed")
    disk.fail(true)
    do {
      try await run.flush()
      XCTFail("nothing was written")
    } catch RestorationError.store(.journal) {
    }
    let exit = try await lastExit()
    XCTAssertEqual(exit, .crashed)
    let again = try await launch(screens.relaunch(losingTick: true))
    XCTAssertEqual(try again.screen(PlainScreen.kind, at: .of("list"))?.node.state.row, 7)
    disk.fail(false)
    try await run.flush()
    let found = try await typed()
    XCTAssertEqual(found, ["typed"])
    withExtendedLifetime(editor) {}
  }

  func testAJournalOfAnotherStoreThatCannotBeWrittenIsTold() async throws {
    var journal = JournalOptions()
    (journal.aim, journal.retryInterval) = (1_000_000, 1_000_000)
    let disk = disk
    journal.file = { FailingFile($0, disk) }
    items = try TemporaryStore(for: Schema(Item.self, Person.self), journal: journal)
    let run = try await launch(registering: items.store)
    var problems: [RestorationError] = []
    run.onProblem = { problems.append($0) }
    disk.fail(true)
    let editor = try type("typed")
    await fulfillment(of: [disk.hasFailed(times: 20)], timeout: 60)
    for _ in 0..<100_000 where problems.isEmpty { await Task.yield() }
    XCTAssertEqual(problems.count, 1)
    guard case .store(.journal)? = problems.first else { return XCTFail("\(problems)") }
    run.end()
    disk.fail(false)
    withExtendedLifetime(editor) {}
  }

  func testAStoreThatWasClosedOrLetGoDoesNotFailAFlush() async throws {
    let run = try await launch(registering: items.store)
    let editor = try type("typed")
    try await items.store.close()
    try await run.flush()
    let clean = try await lastExit()
    XCTAssertEqual(clean, .clean)
    withExtendedLifetime(editor) {}
  }

  func testAClosedArchiveIsCleanOnlyWithWhatWasTypedInAnotherStore() async throws {
    for fails in [false, true] {
      try await setUp()
      let run = try await launch(registering: items.store)
      try run.openPlain("list", 1)
      let editor = try type("typed")
      disk.fail(fails)
      try await screens.store.close()
      disk.fail(false)
      let (exit, found) = (try await lastExit(), try await typed())
      XCTAssertEqual(exit, fails ? .crashed : .clean)
      XCTAssertEqual(found, fails ? [] : ["typed"])
      withExtendedLifetime(editor) {}
    }
  }

  func testWhatIsTypedAfterTheArchiveWasClosedDoesNotWriteIntoItAnyMore() async throws {
    let run = try await launch(registering: items.store)
    try await run.flush()
    run.end()
    let next = try await launch(registering: items.store)
    try await next.flush()
    try await screens.store.close()
    let editor = try type("typed")
    let exit = try await lastExit()
    XCTAssertEqual(exit, .clean)
    withExtendedLifetime(editor) {}
  }

  func testAStoreThatIsRegisteredBeforeItIsOpenIsFlushedOnceItIs() async throws {
    try await items.store.close()
    let store = Store.opening(items.store.path, for: Item.self, Person.self)
    let run = try await launch()
    try run.register(store, as: Keys.store)
    try await run.flush()
    try await store.ready()
    let editor = try store.mainContext.makeChild(draft: "editor")
    editor.insert(Item(name: "typed"))
    try await run.flush()
    XCTAssertTrue(store.journal.isWritten)
    try await store.close()
    withExtendedLifetime(editor) {}
  }

  func testAPreviewIsStaleOnceSomethingIsTypedInAnotherStore() async throws {
    let run = try await launch(registering: items.store)
    try await run.keepPreview([1])
    XCTAssertEqual(Restoration.preview(at: screens.store.path)?.isCurrent, true)
    let editor = try type("typed")
    XCTAssertEqual(Restoration.preview(at: screens.store.path)?.isCurrent, false)
    withExtendedLifetime(editor) {}
  }
}
