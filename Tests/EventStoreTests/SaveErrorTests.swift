import RepriseEventStore
import RepriseObjectModel
import XCTest

final class SaveErrorTests: XCTestCase {
  private let note = AnyObjectID(EntityName("Note"), UniqueID(high: 1, low: 2))
  private let title = AnyObjectID(EntityName("Note"), UniqueID(high: 1, low: 3))

  private var conflict: Conflict { Conflict(object: note, kind: .deletedByMe) }
  private var violation: RuleViolation {
    RuleViolation(object: note, properties: ["stars"], values: [.int(9)], rule: .range("0...5"))
  }
  private var value: InvalidValue {
    InvalidValue(object: note, property: "stars", value: .string("five"), reason: .typeMismatch(expected: "an integer"))
  }

  private func text(
    of operation: SaveRefusal.Operation, _ conflicts: [Conflict], _ violations: [RuleViolation] = [],
    _ values: [InvalidValue] = [], transactions: [Conflict: [Position]] = [:]
  ) -> String? {
    SaveRefusal(of: operation, conflicts, violations, values, transactions: transactions)?.description
  }

  func testARefusalWithoutReasonsIsNone() {
    XCTAssertNil(text(of: .save, []))
  }

  func testARefusedSaveListsEveryKindOfReason() {
    XCTAssertEqual(
      text(of: .save, [conflict]),
      "This save wrote nothing. 1 conflict with other saves: \(note): deleted here, changed elsewhere. "
        + "Resolve or discard each conflict. Then save again.")
    XCTAssertEqual(
      text(of: .save, [], [violation, violation]),
      "This save wrote nothing. 2 broken rules: \(note) has stars 9, which is not in 0...5; "
        + "\(note) has stars 9, which is not in 0...5. "
        + "Assign other values, or discard the changes to these objects. Then save again.")
    XCTAssertEqual(
      text(of: .save, [], [], [value]),
      "This save wrote nothing. 1 invalid value: \(note).stars: \"five\" is not an integer. "
        + "Assign other values, or discard the changes to these objects. Then save again.")
    XCTAssertEqual(
      text(of: .childSave, [conflict], [violation], [value]),
      "Nothing was saved into the parent. "
        + "1 conflict with changes of the parent: \(note): deleted here, changed elsewhere. "
        + "1 broken rule: \(note) has stars 9, which is not in 0...5. "
        + "1 invalid value: \(note).stars: \"five\" is not an integer. "
        + "Resolve or discard each conflict. Assign other values, or discard the changes to these objects. "
        + "Then save again.")
  }

  func testARefusalNamesThreeReasonsOfEachKind() {
    let text = text(of: .difference, [conflict, conflict, conflict, conflict])
    let one = "\(note): deleted here, changed elsewhere"
    XCTAssertEqual(
      text,
      "The difference was not applied. 4 conflicts with other changes: \(one); \(one); \(one); …. "
        + "Repeat the call with a merge policy that decides each conflict.")
  }

  func testARefusedRevertNamesTheLaterTransactions() {
    let uncommitted = Conflict(object: title, kind: .deletedByThem)
    XCTAssertEqual(
      text(of: .revert(3), [conflict, uncommitted], transactions: [conflict: [4, 5, 6, 7]]),
      "Transaction 3 was not reverted. "
        + "2 conflicts with later changes: \(note): deleted here, changed elsewhere (in 4, 5, 6, …); "
        + "\(title): changed here, deleted elsewhere (uncommitted). "
        + "Repeat the call with a merge policy that decides each conflict.")
    XCTAssertEqual(
      text(of: .revert(3), [conflict], [violation], transactions: [conflict: [4]]),
      "Transaction 3 was not reverted. "
        + "1 conflict with later changes: \(note): deleted here, changed elsewhere (in 4). "
        + "1 broken rule: \(note) has stars 9, which is not in 0...5. Change or delete the objects with these values. "
        + "Then repeat the call with a merge policy that decides each conflict.")
    XCTAssertEqual(
      text(of: .revert(3), [], [violation]),
      "Transaction 3 was not reverted. 1 broken rule: \(note) has stars 9, which is not in 0...5. "
        + "Change or delete the objects with these values. Then repeat the call.")
  }

  func testUnreadableObjectsAreToldWithTheirReason() {
    XCTAssertEqual(
      SaveError.unreadable([note: .closed(path: "/p")]).description,
      "This save wrote nothing. 1 object could not be read. \(note): \(StoreError.closed(path: "/p")) Call refresh(), or "
        + "discard() the changes to such objects, then save again. If that fails, verify the store.")
  }
}
