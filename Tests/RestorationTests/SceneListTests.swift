import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// Scenes of a store that no `Restoration` has.
@MainActor final class SceneListTests: XCTestCase {
  private func launch(_ store: Store, _ scene: String) async throws -> Restoration {
    let run = Restoration(store, scene: scene, schemaVersion: 3)
    try run.definePlain()
    try await run.restore()
    return run
  }

  private func list(_ store: Store) throws -> [String] {
    try Restoration.scenes(in: store).map { "\($0.name) \($0.paths) \($0.isInUse)" }
  }

  func testScenesAreListedWhoeverHasThem() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    XCTAssertEqual(try list(temporary.store), [])
    let one = try await launch(temporary.store, "one")
    let two = try await launch(temporary.store, "two")
    _ = try await launch(temporary.store, "empty")
    try one.openPlain("list", 1)
    try two.openPlain("list", 1)
    try two.openPlain("detail", 2)
    try await one.flush()
    two.end()
    XCTAssertEqual(try list(temporary.store), [#"one ["list"] true"#, #"two ["detail", "list"] false"#])
    XCTAssertEqual(try Restoration.scenes(in: temporary.store).map(\.archive.schemaVersion), [3, 3])
    let next = try await temporary.relaunch()
    XCTAssertEqual(try list(next), [#"one ["list"] false"#, #"two ["detail", "list"] false"#])
    try await next.checkpointJournal()
    XCTAssertEqual(try list(next), [#"one ["list"] false"#, #"two ["detail", "list"] false"#])
  }

  func test63TheScreensOfARemovedSceneAreGoneAndItsEditsAreListed() async throws {
    for isCheckpointed in [false, true] {
      let temporary = try await TemporaryStore(for: Item.self, Person.self)
      do {
        let run = try await launch(temporary.store, "window")
        try run.openPlain("list", 1)
        let editor = try temporary.store.mainContext.makeChild(draft: "window//editor")
        editor.insert(Item(name: "Typed"))
        do {
          try Restoration.removeScene("window", in: temporary.store)
          XCTFail("a live window lost its archive")
        } catch RestorationError.sceneInUse("window") {
        }
      }
      let next = try await temporary.relaunch()
      if isCheckpointed { try await next.checkpointJournal() }
      try Restoration.removeScene("window", in: next)
      try Restoration.removeScene("window", in: next)
      try Restoration.removeScene("no such window", in: next)
      XCTAssertEqual(try list(next), [])
      for store in [next, try await temporary.relaunch()] {
        XCTAssertEqual(try list(store), [])
        XCTAssertEqual(try store.drafts.map(\.id).filter { $0 != "main" }, ["window//editor"])
        let run = try await launch(store, "window")
        XCTAssertEqual(run.report?.entries.count, 0)
        XCTAssertEqual(
          try store.mainContext.makeChild(draft: "window//editor").fetch(Fetch<Item>()).map(\.name), ["Typed"])
        run.end()
      }
    }
  }

  func testASceneThatIsOpenedAgainAfterItsRemovalIsKept() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    do {
      let run = try await launch(temporary.store, "window")
      try run.openPlain("old", 1)
      run.end()
      try Restoration.removeScene("window", in: temporary.store)
      let again = try await launch(temporary.store, "window")
      try again.openPlain("new", 2)
    }
    let next = try await temporary.relaunch()
    XCTAssertEqual(try list(next), [#"window ["new"] false"#])
  }
}
