import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Changes to objects that others deleted, after retention dropped the transactions with their last values.
final class ForgottenObjectTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore() }

  // Test cases live as long as the process, and each store takes address space.
  override func tearDown() { test = nil }

  private func added() async throws -> (RootContext, Item) {
    let context = RootContext(test.store, followsHead: false)
    let item = context.insert(Item(name: "Chair", valueInDollars: 5))
    try await context.save("Add")
    item.name = "typed"
    return (context, item)
  }

  /// - Parameter context: A context that stays behind would hold the transactions.
  private func deletedAndDropped(_ id: Item.ID, refreshing context: RootContext? = nil) async throws {
    try await test.store.write("Delete") { $0.delete(try $0.object(id)) }
    try await test.store.write("Other") { _ = $0.insert(Item(name: "Other")) }
    try context?.refresh()
    let outcome = try await test.store.log.retain(.last(1))
    XCTAssertGreaterThan(outcome.droppedTransactions, 0)
  }

  private func names() throws -> [String] { try RootContext(test.store).fetch(Fetch<Item>()).map(\.name).sorted() }

  func testMineKeepsTheChangesWhereTheValuesAreGone() async throws {
    for policy in [MergePolicy.mine, .overwrite, .custom { _ in .mine }] {
      test = try TestStore()
      let (context, item) = try await added()
      try await deletedAndDropped(item.id, refreshing: context)
      let part = context.insert(Item(name: "new"))
      do {
        try await context.save("Edit", merging: policy)
        XCTFail("saved")
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(refusal.conflicts.map(\.object), [item.id.any])
        XCTAssertEqual(refusal.conflicts.map(\.kind), [.unrestorable])
        XCTAssertEqual(item.name, "typed")
        XCTAssertTrue(context.hasChanges)
        XCTAssertEqual(try names(), ["Other"])
        try context.resolve(refusal.conflicts[0], with: .null)
      }
      try await context.save("Edit", merging: policy)
      XCTAssertEqual(try names(), ["Other", part.name])
    }
  }

  func testWhatAContextStillShowsIsHeldAndRestored() async throws {
    for policy in [MergePolicy.mine, .overwrite, .custom { _ in .mine }] {
      test = try TestStore()
      let (context, item) = try await added()
      try await deletedAndDropped(item.id)
      XCTAssertEqual(item.valueInDollars, 5, "the context has not moved")
      try await context.save("Edit", merging: policy)
      XCTAssertFalse(context.hasChanges)
      let restored = try RootContext(test.store).object(item.id)
      XCTAssertEqual(restored.name, "typed")
      XCTAssertEqual(restored.valueInDollars, 5)
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, report.description)
    }
  }

  func testAChildKeepsTheChangesWhereTheValuesAreGone() async throws {
    let (context, item) = try await added()
    context.discard()
    let child = context.makeChild()
    let edited = try child.object(item.id)
    edited.name = "typed"
    try await deletedAndDropped(item.id, refreshing: context)
    XCTAssertThrowsError(try child.save("Edit", merging: .mine)) { error in
      XCTAssertEqual((error as? SaveError)?.refusal?.conflicts.map(\.kind), [.unrestorable])
    }
    XCTAssertTrue(child.hasChanges)
    XCTAssertEqual(edited.name, "typed")
  }

  func testAChildRestoresWhatAnotherSaveRestored() async throws {
    for policy in [MergePolicy.mine, .overwrite, .custom { _ in .mine }] {
      test = try TestStore()
      let (context, item) = try await added()
      context.discard()
      let child = context.makeChild()
      try child.object(item.id).name = "typed"
      let other = RootContext(test.store, followsHead: false)
      try other.object(item.id).valueInDollars = 7
      context.delete(item)
      try await context.save()
      try await other.save(merging: .mine)
      XCTAssertNil(context.find(item.id), "the context has not moved")
      try child.save("Edit", merging: policy)
      XCTAssertEqual(try context.object(item.id).name, "typed")
      try await context.save(merging: .mine)
      let saved = try RootContext(test.store).object(item.id)
      XCTAssertEqual(saved.name, "typed")
      XCTAssertEqual(saved.valueInDollars, 7)
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, report.description)
    }
  }

  func testTheirsDropsTheChangesWhereTheValuesAreGone() async throws {
    let (context, item) = try await added()
    try await deletedAndDropped(item.id, refreshing: context)
    try await context.save("Edit", merging: .theirs)
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(try names(), ["Other"])
  }
}
