import RepriseCore
import RepriseEventStore
import RepriseObjectGraph
import RepriseTestModels
import RepriseTesting
import XCTest

/// Higher floors keep contexts and scenes in tables by store. A closed store leaves none of them behind.
@MainActor final class ClosedStoreTests: XCTestCase {
  private enum Keys {
    static let items = RestorationKey<RootContext>("items")
  }

  func testAClosedStoreGoesWithItsMainContext() async throws {
    for isKilled in [false, true] {
      weak var gone: Store?
      weak var context: RootContext?
      try await {
        let temporary = try await TemporaryStore(for: Item.self, Person.self)
        let (store, main) = (temporary.store, temporary.store.mainContext)
        main.insert(Item(name: "Chair"))
        XCTAssertTrue(store.mainContext === main)
        if isKilled { await store.abandon() } else { try await store.close() }
        XCTAssertNil(MainContexts.context(of: store))
        (gone, context) = (store, main)
      }()
      // Threads of the store may be about to let go of it.
      for _ in 0..<1_000 where gone != nil { try await Task.sleep(for: .milliseconds(1)) }
      XCTAssertNil(context, "killed: \(isKilled)")
      XCTAssertNil(gone, "killed: \(isKilled)")
    }
  }

  func testAStoreThatCouldNotBeOpenedLeavesNoContext() async throws {
    let store = Store.opening("/no folder/has this name/store", for: Item.self, Person.self)
    let context = store.mainContext
    XCTAssertTrue(MainContexts.context(of: store) === context)
    try await store.close()
    XCTAssertNil(MainContexts.context(of: store))
  }

  func testClosedStoresLeaveNoOwnersOfScenes() async throws {
    let folders = (
      try await TemporaryStore(for: Item.self, Person.self), try await TemporaryStore(for: Item.self, Person.self)
    )
    let (screens, items) = (folders.0.store, folders.1.store)
    let run = Restoration(screens)
    try run.definePlain()
    try run.register(items.mainContext, as: Keys.items)
    try await run.restore()
    XCTAssertEqual(SceneOwners.known(of: screens)?.owners(in: MainActor.shared).count, 1)
    // It edits there.
    XCTAssertEqual(SceneOwners.known(of: items)?.owners(in: MainActor.shared).count, 0)
    try await items.close()
    XCTAssertNil(SceneOwners.known(of: items))
    XCTAssertNotNil(SceneOwners.known(of: screens))
    try await screens.close()
    XCTAssertNil(SceneOwners.known(of: screens))
    withExtendedLifetime(folders) {}
  }
}
