import Foundation
import RepriseEventStore
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestLog
import XCTest

/// The journal as a store drives it.
final class JournalStoreTests: XCTestCase {
  private var directory = ""

  override func setUpWithError() throws {
    directory = NSTemporaryDirectory() + "reprise-journal-store-" + UUID().uuidString
  }

  override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: directory) }

  private func open(_ change: (inout JournalOptions) -> Void = { _ in }) throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    options.journal.checkpointSlice = 1
    change(&options.journal)
    return try Store.openNow(directory, for: Schema(LogSample.self), options)
  }

  private func edit(_ id: String, _ number: Int64, _ generation: UInt64) -> JournalEntry {
    .draftEdited(
      draft: id, generation: generation, startsGroup: true, groupName: nil,
      DraftEdit(
        object: AnyObjectID(LogSample.entity.interned, LogFixture.object(1)),
        change: .updated([PropertyChange(slot: LogSample.count, old: .int(number), new: .int(number + 1))])))
  }

  private func count(_ image: DraftImage?) -> PropertyValue? {
    guard case .updated(let changes)? = image?.changes.first(where: { _ in true })?.value else { return nil }
    return changes.first?.new
  }

  private func files() throws -> [String] {
    let folder = directory + "/journals"
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  func testAStoreFoldsItsJournalWhileEditsGoOn() async throws {
    let store = try open()
    let generation = store.journal.nextGeneration()
    store.journal.append((0..<20).map { .draftBegan(DraftHeader(id: "\($0)", base: 0), generation: generation) })
    var number: Int64 = 0
    for _ in 0..<5 {
      store.journal.append([edit("3", number, generation), .nodePut(scene: "main", key: "x", bytes: [UInt8(number)])])
      number += 1
      async let checkpointed: Void = store.journals.checkpoint()
      store.journal.append([edit("3", number, generation)])
      number += 1
      try await checkpointed
      XCTAssertEqual(count(try store.drafts.image(of: .draft("3"))), .int(number))
      XCTAssertEqual(try store.drafts.image(of: .draft("3"))?.groups.count, Int(number))
      XCTAssertLessThanOrEqual(try files().count, 1)
    }
    XCTAssertEqual(try store.scenes.archive(of: .scene("main")).nodes.byKey, ["x": [UInt8(number - 2)]])
    try await store.journals.checkpoint(isClosing: true)
    XCTAssertEqual(try files(), [])
    XCTAssertEqual(count(try store.drafts.image(of: .draft("3"))), .int(number))
    XCTAssertNil(try store.drafts.image(of: .draft("30")))
    store.journal.abandon()
  }

  /// The order of frames goes on behind those of a clock that was ahead, and the dates that people see do not.
  func testADraftIsNotShownAsChangedInTheFuture() async throws {
    let (now, hour): (UInt64, UInt64) = (1_790_000_000_000_000, 3_600_000_000)
    var store = try open { $0.clock = VirtualClock(wall: now + 9_000 * hour) }
    let generation = store.journal.nextGeneration()
    store.journal.append([.draftBegan(DraftHeader(id: "a", base: 0), generation: generation), edit("a", 1, generation)])
    try store.journal.write()
    await store.abandon()
    store = try open { $0.clock = VirtualClock(wall: now) }
    for isCheckpointed in [false, true] {
      if isCheckpointed { try await store.journals.checkpoint() }
      XCTAssertEqual(try store.drafts.all().map(\.changedAt), [Int64(now)])
    }
    store.journal.append([edit("a", 2, generation)])
    XCTAssertEqual(try store.drafts.all().map(\.changedAt), [Int64(now)])
    XCTAssertEqual(count(try store.drafts.image(of: .draft("a"))), .int(3))
    try await store.close()
    // The rows still have the time by the clock that was ahead.
    let clock = VirtualClock(wall: now + hour)
    store = try open { $0.clock = clock }
    store.journal.append([edit("a", 3, generation)])
    try store.journal.write()
    clock.setWallTime(now + 2 * hour)
    XCTAssertEqual(try store.drafts.all().map(\.changedAt), [Int64(now + hour)])
    XCTAssertEqual(count(try store.drafts.image(of: .draft("a"))), .int(4))
    await store.abandon()
  }

  func testASaveTakesItsDraftOutOfTheJournal() async throws {
    let store = try open()
    let generation = store.journal.nextGeneration()
    store.journal.append([.draftBegan(DraftHeader(id: "a", base: 0), generation: generation), edit("a", 1, generation)])
    XCTAssertEqual(count(try store.drafts.image(of: .draft("a"))), .int(2))
    let object = AnyObjectID(LogSample.entity.interned, LogFixture.object(2))
    let entity = try XCTUnwrap(store.map.map(object.name))
    let request = SaveRequest(
      base: 0, changes: [(object, .inserted(entity.defaults))],
      drafts: [FrozenDraft(.draft("a"), generation: generation)])
    _ = try await store.save(request).get()
    XCTAssertNil(try store.drafts.image(of: .draft("a")))
    XCTAssertGreaterThan(store.journal.nextGeneration(), generation)
    store.journal.abandon()
  }

  func testACloseThatCannotWriteWhatWasTypedThrowsAndKeepsIt() async throws {
    let plan = FaultPlan()
    let store = try open { $0.use(plan) }
    let generation = store.journal.nextGeneration()
    store.journal.append([.draftBegan(DraftHeader(id: "a", base: 0), generation: generation)])
    try store.journal.write()
    plan.failWrites(ENOSPC)
    store.journal.append([edit("a", 1, generation)])
    for _ in 0..<3 {
      do {
        try await store.close()
        XCTFail("what was typed is nowhere")
      } catch {
        guard case StoreError.journal = error else { return XCTFail("\(error)") }
      }
    }
    XCTAssertEqual(count(try store.drafts.image(of: .draft("a"))), .int(2))
    let object = AnyObjectID(LogSample.entity.interned, LogFixture.object(2))
    let entity = try XCTUnwrap(store.map.map(object.name))
    let request = SaveRequest(base: 0, changes: [(object, .inserted(entity.defaults))])
    _ = try await store.save(request).get()
    plan.failWrites(nil)
    try await store.close()
    let again = try open()
    XCTAssertEqual(count(try again.drafts.image(of: .draft("a"))), .int(2))
    try await again.close()
  }

  func testAClosedJournalIsATypedError() throws {
    let store = try open()
    store.journal.abandon()
    XCTAssertThrowsError(try store.drafts.image(of: .draft("a"))) { error in
      guard case DraftError.store(.closed) = error else { return XCTFail("\(error)") }
    }
  }
}
