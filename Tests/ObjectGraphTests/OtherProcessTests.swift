import RepriseObjectGraph
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectModel

/// Who follows the saves of other processes, and who has no thread for it.
final class OtherProcessTests: XCTestCase {
  private func appendElsewhere(_ store: Store) throws {
    let id = AnyObjectID(Item.entity.interned, UniqueID())
    try store.appendAsAnotherProcess([(id, .inserted(Item.entity.defaults))])
  }

  /// Waits for something that must come; false if it does not within half a minute.
  private func comes(isolation: isolated (any Actor)? = #isolation, _ body: () async -> Bool) async throws -> Bool {
    for _ in 0..<30_000 {
      if await body() { return true }
      try await Task.sleep(for: .milliseconds(1))
    }
    return false
  }

  @MainActor func testAContextFollowsOtherProcessesUnasked() async throws {
    let opened = try TestStore(followsOtherProcesses: true)
    let store = opened.store
    let context = store.mainContext
    XCTAssertTrue(store.followsOtherProcesses)
    for _ in 0..<3 {
      let next = store.log.head + 1
      try appendElsewhere(store)
      // Nothing here reads the store: it moves by the system's word alone.
      let moves = try await comes { context.position == next }
      XCTAssertTrue(moves)
    }
    try await store.close()
  }

  func testAContextOfAnActorFollowsOtherProcessesUnasked() async throws {
    let opened = try TestStore(followsOtherProcesses: true)
    let (store, reader) = (opened.store, Reader())
    let next = store.log.head + 2
    await reader.begin(store)
    for _ in 0..<2 { try appendElsewhere(store) }
    let moves = try await comes { await reader.position == next }
    XCTAssertTrue(moves)
    await reader.end()
  }

  @MainActor func testWhatWasSavedBeforeTheWatchBeganIsSeen() async throws {
    let opened = try TestStore(followsOtherProcesses: true)
    let store = opened.store
    let context = store.mainContext
    let next = store.log.head + 1
    XCTAssertFalse(store.others.isWatching, "not in the turn in which screens are restored")
    try appendElsewhere(store)
    let moves = try await comes { context.position == next }
    XCTAssertTrue(moves)
    XCTAssertTrue(store.others.isWatching)
  }

  @MainActor func testAStoreThatIsToldNotToFollowHasNoThread() async throws {
    let opened = try TestStore(followsOtherProcesses: true)
    let store = opened.store
    store.followsOtherProcesses = false
    let context = store.mainContext
    for _ in 0..<100 { await Task.yield() }
    XCTAssertFalse(store.others.isWatching)
    store.followsOtherProcesses = true
    let next = store.log.head + 1
    try appendElsewhere(store)
    let moves = try await comes { context.position == next }
    XCTAssertTrue(moves)
    store.followsOtherProcesses = false
    XCTAssertFalse(store.others.isWatching)
  }

  func testWithoutAContextThatFollowsThereIsNoThread() async throws {
    let opened = try TestStore(followsOtherProcesses: true)
    let store = opened.store
    let context = RootContext(store, isolation: nil)
    _ = await store.read { $0.position }
    for _ in 0..<100 { await Task.yield() }
    XCTAssertFalse(store.others.isWatching)
    withExtendedLifetime(context) {}
  }

  func testAFeedThatIsLetGoHasNoThread() async throws {
    let opened = try TestStore()
    let store = opened.store
    for _ in 0..<3 {
      let feed = OtherProcesses.Interest(store)
      XCTAssertTrue(store.others.isWatching)
      _ = consume feed
      XCTAssertFalse(store.others.isWatching)
    }
  }
}

private actor Reader {
  private var context: RootContext?
  var position: Position { context?.position ?? 0 }
  func begin(_ store: Store) { context = RootContext(store) }
  func end() { context = nil }
}
