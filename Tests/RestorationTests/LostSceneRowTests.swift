import RepriseCore
import RepriseEventStore
import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseRestoration
import RepriseTestModels
import RepriseTesting
import XCTest

/// Rows that the table `archives` has lost.
@MainActor final class LostSceneRowTests: XCTestCase {
  private let lostOne = "The archive of the scene 'main' has lost 1 of its screens. Open these screens again."
  private let lostInfo =
    "The archive of the scene 'main' has lost the record of the scene itself, which lists the drafts of closed "
    + "screens. Look for these drafts in `store.drafts`."

  private func launch(_ store: Store) async throws -> Restoration {
    let run = Restoration(store)
    try run.definePlain()
    try await run.restore()
    return run
  }

  /// A store with screens in its table.
  ///
  /// - Parameter visible: The only visible child of the screen "tabs". `nil` if all are visible.
  private func store(_ paths: [String], visible: String?) async throws -> TemporaryStore {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    let run = try await launch(temporary.store)
    for path in paths { try run.openPlain(path, 1) }
    if let visible { try run.screen(PlainScreen.kind, at: .of("tabs"))?.node.selection = visible }
    try await run.flush()
    run.end()
    try await temporary.store.journals.checkpoint()
    XCTAssertEqual(try problems(temporary.store), [])
    return temporary
  }

  private let tabs = ["tabs", "tabs/a", "tabs/a/detail", "tabs/b", "tabs/b/detail", "other"]

  private func problems(_ store: Store) throws -> [String] { try StoreMaintenance.verifyNow(store).problems }

  /// Changes the rows of the nodes with these keys.
  private func change(
    _ store: Store, _ isWanted: (String) -> Bool, to change: ([UInt8]) -> [UInt8]? = { _ in nil }
  ) throws {
    let table = store.tables.archives
    var rows: [(key: [UInt8], value: [UInt8])] = []
    try store.environment.read { (transaction) throws(StorageError) in
      try JournalRow.scan(transaction.view, table, prefix: []) { key, value in
        guard var reader = try? ByteReader(sealed: value), (try? reader.string()) == "main",
          let node = try? reader.string(), isWanted(node)
        else { return true }
        rows.append(([UInt8](key), [UInt8](value)))
        return true
      }
    }
    XCTAssertEqual(rows.count, 1)
    let changes = rows.map { (key: $0.key, value: change($0.value)) }
    try store.environment.write { (transaction) throws(StorageError) in
      for row in changes { try JournalRow.replace(row.key, with: row.value, transaction, table) }
    }
  }

  /// Closed before, so that no journal is left.
  private func relaunched(_ temporary: TemporaryStore) async throws -> Store {
    try await temporary.store.close()
    return try await temporary.relaunch()
  }

  func testVerifyFindsTheLostParentOfAScreen() async throws {
    let temporary = try await store(tabs, visible: "a")
    try change(temporary.store, { $0 == "tabs" })
    let parent =
      "The archive of the scene 'main' has the screen 'tabs/a', but has lost the screen 'tabs' above it, so neither "
      + "can be restored. Open both screens again."
    XCTAssertEqual(try problems(temporary.store), [lostOne, parent])
  }

  func testVerifyFindsALostDeferredScreen() async throws {
    let temporary = try await store(tabs, visible: "a")
    try change(temporary.store, { $0 == "tabs/b/detail" })
    XCTAssertEqual(try problems(temporary.store), [lostOne])
  }

  func testVerifyFindsALostRecordOfAScene() async throws {
    let temporary = try await store(["list"], visible: nil)
    try change(temporary.store, { $0 == "/" })
    XCTAssertEqual(try problems(temporary.store), [lostInfo])
  }

  func testVerifyFindsLostParentsOfLongPaths() async throws {
    let ids = ["a", "b", "c", "d"].map { String(repeating: $0, count: 100) }
    let paths = ids.indices.map { ids[...$0].joined(separator: "/") }
    let temporary = try await store(paths, visible: nil)
    // The keys of the last two are hashes.
    try change(temporary.store, { $0 == paths[1] })
    XCTAssertEqual(
      try problems(temporary.store),
      [
        "The archive of the scene 'main' has the screen '\(paths[2])', but has lost the screen '\(paths[1])' above it, "
          + "so neither can be restored. Open both screens again."
      ])
  }

  func testVerifyFindsAStateUnderAWrongChecksum() async throws {
    let temporary = try await store(["list"], visible: nil)
    try change(temporary.store, { $0 == "list" }) { value in
      var writer = ByteWriter.sealing(reserving: value.count)
      writer.append(value[Checksum.size..<value.count - 1] + [value[value.count - 1] ^ 1])
      return writer.sealed()
    }
    XCTAssertEqual(
      try problems(temporary.store),
      [
        "A row of the table archives is damaged: the checksum of the screen's state is wrong. Verify the store with "
          + "`StoreMaintenance.verify(_:)`."
      ])
  }

  func testRestorationReportsALostRecordOfAScene() async throws {
    let temporary = try await store(["list"], visible: nil)
    try change(temporary.store, { $0 == "/" })
    let run = try await launch(relaunched(temporary))
    XCTAssertEqual(run.report?.damage, [lostInfo])
    XCTAssertEqual(run.report?.outcome("list"), .restored)
  }

  func testRestorationReportsAScreenWithoutAParent() async throws {
    let temporary = try await store(["list", "list/item"], visible: nil)
    try change(temporary.store, { $0 == "list" })
    let run = try await launch(relaunched(temporary))
    XCTAssertEqual(
      run.report?.outcome("list/item"), .skipped(reason: "its parent screen 'list' is not in the archive"))
  }

  func testRestorationReportsLostDeferredScreens() async throws {
    let temporary = try await store(tabs, visible: "a")
    try change(temporary.store, { $0 == "tabs/b/detail" })
    let store = try await relaunched(temporary)
    let run = try await launch(store)
    // The call reads all screens.
    XCTAssertEqual(try run.recoverableNodes().map(\.path.text), [])
    XCTAssertEqual(
      run.report?.damage,
      [
        "The archive has lost 1 of its screens. Open the missing screens again, and see `recoverableDrafts()` for "
          + "their edits."
      ])
    // The next record of the scene counts only the other screens.
    try run.openPlain("new", 2)
    try await run.flush()
    run.end()
    try await store.journals.checkpoint()
    XCTAssertEqual(try problems(store), [])
  }

  // Its log is empty, while `meta` has the ID of the copy.

  private func storeOfScreensOnly() async throws -> TemporaryStore {
    let temporary = try await TemporaryStore(for: Schema())
    let run = try await launch(temporary.store)
    try run.openPlain("list", 1)
    try await run.flush()
    run.end()
    return temporary
  }

  func testVerifyFindsNothingInAStoreOfScreensOnly() async throws {
    let temporary = try await storeOfScreensOnly()
    XCTAssertEqual(try problems(temporary.store), [])
    let store = try await temporary.relaunch(losingTick: false, rebuilding: true)
    XCTAssertEqual(try problems(store), [])
  }

  func testSalvageKeepsAStoreOfScreensOnly() async throws {
    let temporary = try await storeOfScreensOnly()
    let path = temporary.store.path
    try await temporary.store.close()
    _ = try await StoreMaintenance.salvage(path, to: path + "-salvaged")
    let store = try await Store.open(path + "-salvaged", for: Schema())
    XCTAssertEqual(try problems(store), [])
    let run = try await launch(store)
    XCTAssertEqual(run.report?.outcome("list"), .restored)
    run.end()
    try await store.close()
  }

  func testASalvagedStoreHasNoScreensWithoutParents() async throws {
    let temporary = try await store(tabs, visible: "a")
    try change(temporary.store, { $0 == "tabs" })
    try change(temporary.store, { $0 == "/" })
    let path = temporary.store.path
    try await temporary.store.close()
    let report = try await StoreMaintenance.salvage(path, to: path + "-salvaged")
    let lines = report.description
    for text in [
      lostInfo, "has lost the screen 'tabs' above it",
      "4 screens of the old store are not in the new store, because a parent screen is lost.",
    ] { XCTAssertTrue(lines.contains(text), lines) }
    XCTAssertEqual(report.screenRows, 1)
    let store = try await Store.open(path + "-salvaged", for: Item.self, Person.self)
    XCTAssertEqual(try problems(store), [])
    let run = try await launch(store)
    XCTAssertEqual(run.report?.damage, [])
    XCTAssertEqual(run.report?.entries.map(\.path.text), ["other"])
    run.end()
    try await store.close()
  }
}
