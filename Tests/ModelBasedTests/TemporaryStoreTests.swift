import RepriseCore
import RepriseTesting
import XCTest

@MainActor
final class TemporaryStoreTests: XCTestCase {
  func testARelaunchedStoreHasWhatWasSavedAndNothingOfWhatIsSavedLater() async throws {
    let temporary = try await TemporaryStore(for: Thing.self, Holder.self, Label.self)
    let context = RootContext(temporary.store)
    let thing = context.insert(Thing(title: "one", count: 1))
    try await context.save()
    let second = try await temporary.relaunch()
    XCTAssertFalse(second === temporary.store)
    thing.title = "two"
    try await context.save()

    let later = RootContext(second)
    let same = try later.object(thing.id)
    XCTAssertEqual(same.title, "one")
    XCTAssertEqual(try second.uri(for: thing.id.any), try temporary.store.uri(for: thing.id.any), "another log")
    same.title = "three"
    try await later.save()

    let third = try await temporary.relaunch()
    XCTAssertEqual(try RootContext(third).object(thing.id).title, "three", "it did not go on from the last launch")
    let report = try await StoreMaintenance.verify(third)
    XCTAssertTrue(report.isSound, report.description)
  }

  func testAClosedStoreIsRelaunched() async throws {
    let temporary = try await TemporaryStore(for: Thing.self, Holder.self, Label.self)
    let context = temporary.store.mainContext
    let thing = context.insert(Thing(title: "secret", count: 1))
    try await context.save()
    thing.title = "public"
    try await temporary.store.close()
    let next = try await temporary.relaunch()
    XCTAssertEqual(try next.mainContext.object(thing.id).title, "public", "the draft is there as well")
    try await next.mainContext.save()
    try await next.close()
    let erased = try await StoreMaintenance.erase([Erasure(of: thing.id.any, ["title"])], in: next.path)
    XCTAssertEqual(erased.transactions, 2)
    let last = try await temporary.relaunch()
    XCTAssertEqual(try last.mainContext.object(thing.id).title, "public")
  }

  func testAFolderThatItsStoreNoLongerNeedsIsRemoved() async throws {
    var temporary: TemporaryStore? = try await TemporaryStore(for: Thing.self, Holder.self, Label.self)
    let path = try XCTUnwrap(temporary?.store.path)
    _ = try await temporary?.relaunch()
    XCTAssertTrue(FileManager.default.fileExists(atPath: path))
    temporary = nil
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
  }

  func testAModelWithoutItsTargetsIsATypedError() async throws {
    do {
      _ = try await TemporaryStore(for: Thing.self)
      XCTFail("opened")
    } catch StoreError.schema {}
  }

  func testTheSameSeedGivesTheSameNumbers() {
    var one = SeededGenerator(seed: 7)
    var two = SeededGenerator(seed: 7)
    var other = SeededGenerator(seed: 8)
    let numbers = (0..<5).map { _ in one.next() }
    XCTAssertEqual(numbers, (0..<5).map { _ in two.next() })
    XCTAssertNotEqual(numbers, (0..<5).map { _ in other.next() })
    XCTAssertEqual(Set(numbers).count, 5)
  }
}
