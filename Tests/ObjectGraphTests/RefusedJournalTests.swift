import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Journals whose files other users may write, as a volume's owner or an umask of 0 leaves them.
@MainActor final class RefusedJournalTests: XCTestCase {
  /// A store with an edit in the draft "main", ended by a kill, with these modes.
  private func store(journal: Int, data: Int? = nil) async throws -> TestStore {
    let test = try TestStore()
    test.store.mainContext.insert(Item(name: "typed"))
    try test.store.journal.flush()
    await test.store.abandon()
    try setMode(journal, in: test)
    if let data { try setMode(data, of: test.path + "/data.mdb") }
    try test.open()
    return test
  }

  private func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func setMode(_ mode: Int, in test: TestStore) throws {
    let folder = test.path + "/journals"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".journal") {
      try setMode(mode, of: folder + "/" + name)
    }
  }

  private func names(_ context: EditingContext) throws -> [String] {
    try context.fetch(Fetch<Item>()).map(\.name).sorted()
  }

  func testJournalsOfAGroupsStoreAreReadByItsGroup() async throws {
    let test = try await store(journal: 0o660, data: 0o660)
    XCTAssertEqual(try names(test.store.mainContext), ["typed"])
    XCTAssertEqual(test.store.mainContext.draftProblems, [])
  }

  func testARefusedJournalIsReportedByItsDrafts() async throws {
    for (journal, data) in [(0o620, nil), (0o666, 0o660), (0o606, nil)] as [(Int, Int?)] {
      let test = try await store(journal: journal, data: data)
      let main = test.store.mainContext
      XCTAssertEqual(try names(main), [])
      XCTAssertNil(main.draftID)
      guard case .unreadable("main", let reason)? = main.draftFailure else { return XCTFail("\(main.draftProblems)") }
      XCTAssertTrue(reason.contains("chmod go-w"), reason)
      XCTAssertEqual(main.draftProblems.count, 1)
      XCTAssertEqual(try test.store.drafts.all().map(\.id), ["main"])
      XCTAssertEqual(try test.store.drafts.all().map(\.unreadableReason), [reason])
      XCTAssertThrowsError(try RootContext(test.store, draft: "main"))
      XCTAssertNoThrow(try RootContext(test.store, draft: "another"))
    }
  }

  func testTypingBesideARefusedJournalLosesNothingOfIt() async throws {
    let test = try await store(journal: 0o620)
    test.store.mainContext.insert(Item(name: "typed later"))
    try test.store.journal.flush()
    await test.store.abandon()
    try setMode(0o600, in: test)
    try test.open()
    XCTAssertEqual(try names(test.store.mainContext), ["typed"])
    XCTAssertNil(test.store.mainContext.draftFailure)
  }

  func testADraftThatWasReplacedDoesNotReturnFromARefusedJournal() async throws {
    let test = try await store(journal: 0o620)
    do {
      let context = try RootContext(test.store, draft: "main", ifPresent: .replace)
      context.insert(Item(name: "instead"))
      try test.store.journal.flush()
    }
    for mode in [0o620, 0o600] {
      await test.store.abandon()
      try setMode(mode, in: test)
      if mode == 0o620 { try setModeOfNewest(0o600, in: test) }
      try test.open()
      XCTAssertEqual(try names(test.store.mainContext), ["instead"], "\(mode)")
    }
  }

  func testADiscardedDraftDoesNotReturnFromARefusedJournal() async throws {
    let test = try await store(journal: 0o620)
    try test.store.drafts.discard("main")
    try test.store.journal.flush()
    XCTAssertEqual(try test.store.drafts.all().map(\.id), [])
    await test.store.abandon()
    try setMode(0o600, in: test)
    try test.open()
    XCTAssertEqual(try names(test.store.mainContext), [])
  }

  func testADiscardedDraftInARefusedJournalDoesNotEndTheNextOne() async throws {
    let test = try TestStore()
    test.store.mainContext.insert(Item(name: "typed"))
    test.store.mainContext.discard()
    try test.store.journal.flush()
    await test.store.abandon()
    try setMode(0o620, in: test)
    try test.open()
    XCTAssertEqual(test.store.mainContext.draftID, "main")
    test.store.mainContext.insert(Item(name: "typed later"))
    try await test.store.journals.checkpoint()
    await test.store.abandon()
    try setMode(0o600, in: test)
    try test.open()
    XCTAssertEqual(try names(test.store.mainContext), ["typed later"])
  }

  // MARK: Screens

  /// A store with a node of the scene "window" in a journal that other users may write.
  private func storeWithARefusedScene() async throws -> TestStore {
    let test = try TestStore()
    XCTAssertTrue(try test.store.scenes.claim(.scene("window")))
    test.store.scenes.journal.append([.nodePut(scene: "window", key: "/a", bytes: [1])])
    try test.store.journal.flush()
    await test.store.abandon()
    try setMode(0o620, in: test)
    try test.open()
    return test
  }

  func testScreensOfARefusedJournalDoNotReplaceNewerOnes() async throws {
    let test = try await storeWithARefusedScene()
    XCTAssertTrue(try test.store.scenes.claim(.scene("window")))
    let found = try test.store.scenes.archive(of: .scene("window"))
    XCTAssertTrue(found.nodes.isEmpty)
    XCTAssertEqual(found.problems.filter { $0.description.contains("'window'") }.count, 1, "\(found.problems)")
    try test.store.journals.forgetRefused(.scene("window"))
    test.store.scenes.journal.append([.nodePut(scene: "window", key: "/a", bytes: [2])])
    try await test.store.journals.checkpoint()
    try setMode(0o600, in: test)
    XCTAssertEqual(
      try test.store.scenes.archive(of: .scene("window")).nodes.byKey, ["/a": [2]], "trusted while the store is open")
    await test.store.abandon()
    try test.open()
    let again = try test.store.scenes.archive(of: .scene("window"))
    XCTAssertEqual(again.nodes.byKey, ["/a": [2]])
    XCTAssertEqual(again.problems, [])
  }

  func testARemovedSceneDoesNotReturnFromARefusedJournal() async throws {
    let test = try await storeWithARefusedScene()
    XCTAssertTrue(try test.store.scenes.remove(.scene("window"), whileClaimed: {}))
    await test.store.abandon()
    try setMode(0o600, in: test)
    try test.open()
    XCTAssertTrue(try test.store.scenes.archive(of: .scene("window")).nodes.isEmpty)
  }

  /// Journals are named in the order of their creation.
  private func setModeOfNewest(_ mode: Int, in test: TestStore) throws {
    let folder = test.path + "/journals"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".journal") }
    if let newest = names.max() { try setMode(mode, of: folder + "/" + newest) }
  }
}
