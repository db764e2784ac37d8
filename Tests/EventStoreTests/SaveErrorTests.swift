import RepriseEventStore
import RepriseObjectModel
import XCTest

final class SaveErrorTests: XCTestCase {
  private let conflict = Conflict(
    object: AnyObjectID(EntityName("Note"), UniqueID(high: 1, low: 2)), kind: .deletedByMe)

  func testOneConflictIsNotToldAsSeveral() {
    let one = SaveError.conflicts([conflict]).description
    XCTAssertTrue(one.hasPrefix("1 conflict with other saves: "), one)
    XCTAssertTrue(one.hasSuffix("Resolve or discard it, then save again."), one)
    let four = SaveError.conflicts([conflict, conflict, conflict, conflict]).description
    XCTAssertTrue(four.hasPrefix("4 conflicts with other saves: "), four)
    XCTAssertTrue(four.hasSuffix("; …. This save wrote nothing. Resolve or discard them, then save again."), four)
    let unreadable = SaveError.unreadable([conflict.object: .closed(path: "/p")]).description
    XCTAssertTrue(unreadable.hasPrefix("1 object could not be read. \(conflict.object): The store /p"), unreadable)
  }

  func testAChildsConflictIsNotToldAsOneWithOtherSaves() {
    let text = ChildSaveError.conflicts([conflict]).description
    XCTAssertTrue(text.hasPrefix("1 conflict with changes of the parent: "), text)
  }
}
