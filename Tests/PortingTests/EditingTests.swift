import Reprise
import RepriseTestModels
import XCTest

/// Create and edit screens with undo: nested contexts.
final class EditingTests: PortingTestCase {
  /// MSAEventEditionViewController
  @MainActor final class EditionViewController {
    let childContext: ChildContext
    private(set) var event: Item
    private(set) var message: String?

    init(_ event: Item.ID, in parentContext: EditingContext) throws {
      childContext = parentContext.makeChild()
      // objectWithID:, in the child context
      self.event = try childContext.object(event)
    }

    func saveChanges() {
      do { try childContext.save("Edit event") } catch { message = "\(error)" }
    }

    func cancel() { childContext.discard() }
  }

  func testSavingPropagatesToTheParentAndDiscardingIsTheUndo() async throws {
    let temporary = try await makeStore()
    let context = temporary.store.mainContext
    let chair = try await insert("Red chair", in: temporary.store)[0]
    let controller = try EditionViewController(chair.id, in: context)
    controller.event.name = "Blue chair"
    XCTAssertEqual(chair.name, "Red chair")
    controller.cancel()
    XCTAssertEqual(controller.event.name, "Red chair")
    controller.event.name = "Green chair"
    controller.saveChanges()
    XCTAssertEqual(chair.name, "Green chair")
    XCTAssertTrue(context.hasChanges)
    try await context.save("Edit event")
    XCTAssertNil(controller.message)
  }

  func testTheMergePolicyDecidesAndAnErrorIsShown() async throws {
    let temporary = try await makeStore()
    let context = temporary.store.mainContext
    let chair = try await insert("Red chair", in: temporary.store)[0]
    let controller = try EditionViewController(chair.id, in: context)
    controller.event.name = "Blue chair"
    chair.name = "Old chair"
    controller.saveChanges()
    XCTAssertNotNil(controller.message)
    XCTAssertEqual(chair.name, "Old chair")
    // NSMergeByPropertyObjectTrumpMergePolicy; NSMergeByPropertyStoreTrumpMergePolicy is .theirs
    controller.childContext.mergePolicy = .mine
    controller.saveChanges()
    XCTAssertEqual(chair.name, "Blue chair")
  }
}
