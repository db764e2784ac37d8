import RepriseCore
import RepriseDynamic
import RepriseTestTool
import XCTest

/// A list over a store without its models lacks rows, sections or changes.
@MainActor
final class DynamicListTests: XCTestCase {
  func testAListByNamesDoesNotFollow() async throws {
    let test = try await ToolStore()
    try await test.store.close()
    let store = try await Store.open(inspecting: test.path, editing: true)
    let context = RootContext(store)
    let guest = try XCTUnwrap(store.entities.first { $0.name == "Guest" })
    for last in ["Adams", "Jones", "Young"] { try context.insert(guest, ["last": .string(last)]) }
    try await check(guest.model, in: context) {
      try context.insert(guest, ["last": .string("Yates")])
    }
    try await store.close()
  }

  private func check<Model: PersistentModel>(
    _: Model.Type, in context: RootContext, insert: () throws -> Void
  ) async throws {
    let fetch = try FetchText("Guest order by last section by first(last)").fetch(Model.self)
    let list = try FetchedList(fetch, in: context)
    func sections() -> [String] {
      (0..<list.sectionCount).map { "\(list.sectionName($0) ?? "") \(list.rowCount(inSection: $0))" }
    }
    XCTAssertEqual(sections(), ["A 1", "J 2", "Y 1"])
    let names = try (0..<list.sectionCount).flatMap { section in
      try (0..<list.rowCount(inSection: section)).map { item in
        try list.element(at: RowPath(section: section, item: item))["last"]
      }
    }
    XCTAssertEqual(names, ["Adams", "Jones", "Jones", "Young"].map { .string($0) })
    var batches = 0
    let observation = list.observe { _ in batches += 1 }
    try insert()
    for _ in 0..<1_000 where batches == 0 { await Task.yield() }
    XCTAssertEqual(sections(), ["A 1", "J 2", "Y 2"])
    withExtendedLifetime(observation) {}
  }
}
