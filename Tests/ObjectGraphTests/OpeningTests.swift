import Dispatch
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import RepriseTestOpening
import XCTest

final class OpeningTests: XCTestCase {
  /// Indexes that are built in another store may take minutes.
  func testOpeningDoesNotHoldUpTheMainActorWhileAnotherThreadOpensAStore() async throws {
    let test = try TestStore()
    try await test.store.close()
    let path = test.path
    let hold = OpeningHold(path, until: .now() + 20)
    let opening = Task { @MainActor in try await Store.open(path, for: Item.self, Person.self) }
    await Task { @MainActor in }.value
    hold.release()
    let store = try await opening.value
    XCTAssertFalse(hold.hasTimedOut)
    XCTAssertEqual(store.path, path)
    try await store.close()
  }

  /// Every thread of the pool would wait for the disk, and with them all other tasks of the program.
  func testStoresThatAreOpenedAndRebuiltTakeNoThreadFromOtherTasks() async throws {
    let test = try TestStore()
    try await test.store.close()
    let path = test.path
    let hold = OpeningHold(path, until: .now() + 20)
    await withTaskGroup { group in
      for _ in 0..<64 {
        group.addTask { _ = try? await StoreMaintenance.rebuild(path) }
        group.addTask { _ = try? await Store.open(path, for: Item.self, Person.self) }
      }
      for _ in 0..<64 { await Task.detached {}.value }
      hold.release()
    }
    XCTAssertFalse(hold.hasTimedOut)
    try? await Store.open(path, for: Item.self, Person.self).close()
  }

  func testModelsAreListedOneByOneOrInAnArray() async throws {
    let models: [any PersistentModel.Type] = [Item.self, Person.self, Item.self]
    for schema in [Schema(models), Schema([Item.self, Person.self]), Schema(Item.self, Person.self, Item.self)] {
      XCTAssertEqual(schema.entities.map(\.name), ["Item", "Person"])
    }
    XCTAssertEqual(Schema(Item.self).entities.map(\.name), ["Item"])
    XCTAssertEqual(Schema().entities.count, 0)
  }
}
