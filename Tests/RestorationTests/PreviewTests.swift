import Foundation
import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// A picture or a text to show until the scene is restored.
@MainActor final class PreviewTests: XCTestCase {
  private enum StoreKeys {
    static let root: RestorationKey<RootContext> = "root"
  }

  private let picture = [UInt8](repeating: 7, count: 100_000)

  private func launch(_ store: Store, scene: String = "main") async throws -> Restoration {
    let run = Restoration(store, scene: scene, appVersion: "1.2")
    try run.definePlain()
    try await run.restore()
    return run
  }

  private func isCurrent(_ store: Store) -> Bool? { Restoration.preview(at: store.path)?.isCurrent }

  private func endOfTurn() async { await Task { @MainActor in }.value }

  func testAPreviewIsThereBeforeTheStoreIsOpenedAndCurrentUntilAScreenChanges() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    XCTAssertNil(Restoration.preview(at: temporary.store.path))
    let run = try await launch(temporary.store)
    let screen = try run.openPlain("list", 1)
    try await run.keepPreview(picture)
    let next = try await temporary.relaunch()
    let preview = try XCTUnwrap(Restoration.preview(at: next.path))
    XCTAssertEqual(preview.bytes, picture)
    XCTAssertEqual(preview.appVersion, "1.2")
    XCTAssertGreaterThan(preview.keptAt, 0)
    XCTAssertTrue(preview.isCurrent)

    screen.node.state.row = 2
    await endOfTurn()
    XCTAssertEqual(isCurrent(temporary.store), false)
    XCTAssertEqual(Restoration.preview(at: temporary.store.path)?.bytes, picture)
    // A launch that changes nothing leaves it as it is.
    let again = try await launch(next)
    XCTAssertEqual(isCurrent(next), true)
    try again.screen(PlainScreen.kind, at: .of("list"))?.node.state.row = 3
    await endOfTurn()
    XCTAssertEqual(isCurrent(next), false)
  }

  func testNotesOfAnySizeAreReadAsWrittenWhateverWasThereBefore() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = try await launch(temporary.store)
    for size in [100_000] + Array(470..<515) + [1 << 22, 7, 3_000, 600] {
      let bytes = [UInt8](repeating: UInt8(size % 251), count: size)
      try await run.keepPreview(bytes)
      XCTAssertEqual(Restoration.preview(at: temporary.store.path)?.bytes, bytes, "\(size)")
    }
  }

  func testAnUncommittedEditMakesItStale() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = try await launch(temporary.store)
    try run.openPlain("list", 1)
    try await run.keepPreview(picture)
    XCTAssertEqual(isCurrent(temporary.store), true)
    let editor = try temporary.store.mainContext.makeChild(draft: "editor")
    editor.insert(Item(name: "Typed"))
    await endOfTurn()
    XCTAssertEqual(isCurrent(temporary.store), false)
  }

  func testEachFlushAsksForAPreviewAndTheLaunchEndsCleanly() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    var number: UInt8 = 0
    let run = try await launch(temporary.store)
    run.makePreview = {
      number += 1
      return number == 2 ? nil : [number]
    }
    for expected: [UInt8] in [[1], [1], [3]] {
      try run.openPlain("list \(number)")
      try await run.flush()
      XCTAssertEqual(Restoration.preview(at: temporary.store.path)?.bytes, expected)
      XCTAssertEqual(isCurrent(temporary.store), number != 2, "no new one was made for what is new")
    }
    let next = try await temporary.relaunch()
    XCTAssertEqual(isCurrent(next), true)
    let again = try await launch(next)
    XCTAssertEqual(again.report?.lastExit, .clean)
  }

  func testOneThatIsTooLargeIsRefusedAndTheLastOneStays() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = try await launch(temporary.store)
    try await run.keepPreview(picture)
    let tooLarge = [UInt8](repeating: 0, count: ScenePreview.maximumCount + 1)
    do {
      try await run.keepPreview(tooLarge)
      XCTFail("it was kept")
    } catch RestorationError.preview("main", let reason) {
      XCTAssertEqual(reason, "it has 4194305 bytes, and may have at most 4194304")
    }
    run.makePreview = { tooLarge }
    do {
      try await run.flush()
      XCTFail("it was kept")
    } catch RestorationError.preview("main", _) {}
    XCTAssertEqual(Restoration.preview(at: temporary.store.path)?.bytes, picture)
    try await run.keepPreview(Array(tooLarge.dropLast()))
    XCTAssertEqual(Restoration.preview(at: temporary.store.path)?.bytes.count, ScenePreview.maximumCount)
  }

  func testEachSceneHasItsOwnAndItGoesWithTheSceneOrByItself() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let path = temporary.store.path
    for scene in ["one", "two"] {
      let run = try await launch(temporary.store, scene: scene)
      try run.openPlain("list")
      try await run.keepPreview(Array(scene.utf8))
      run.end()
    }
    XCTAssertEqual(Restoration.preview(of: "one", at: path)?.bytes, Array("one".utf8))
    XCTAssertNil(Restoration.preview(at: path))
    try Restoration.removeScene("one", in: temporary.store)
    XCTAssertNil(Restoration.preview(of: "one", at: path))
    let two = try await launch(temporary.store, scene: "two")
    try await two.keepPreview([])
    XCTAssertNil(Restoration.preview(of: "two", at: path))
  }

  func testADamagedOneIsNone() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = try await launch(temporary.store)
    try await run.keepPreview(picture)
    let folder = URL(fileURLWithPath: temporary.store.path + "/journals")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let file = try XCTUnwrap(files.first { $0.pathExtension == "preview" })
    let whole = try Data(contentsOf: file)
    for count in [0, 7, 20, whole.count - 1] {
      try whole.prefix(count).write(to: file)
      XCTAssertNil(Restoration.preview(at: temporary.store.path), "\(count) bytes")
    }
    var changed = whole
    changed[40] ^= 1
    try changed.write(to: file)
    XCTAssertNil(Restoration.preview(at: temporary.store.path))
  }

  func testAReadOnlySceneKeepsNone() async throws {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = try await launch(temporary.store)
    try await run.keepPreview([1])
    let second = Restoration(temporary.store)
    second.sceneConflictPolicy = .readOnly
    try await second.restore()
    try await second.keepPreview([2])
    XCTAssertEqual(Restoration.preview(at: temporary.store.path)?.bytes, [1])
  }
}
