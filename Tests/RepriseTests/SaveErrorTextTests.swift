import Reprise
import XCTest

final class SaveErrorTextTests: ErrorTextTestCase {
  private var value: InvalidValue {
    InvalidValue(object: note, property: "stars", value: .string("five"), reason: .typeMismatch(expected: "an integer"))
  }

  private var violation: RuleViolation {
    RuleViolation(object: note, properties: ["stars"], values: [.int(9)], rule: .range("0...5"))
  }

  private func refusal(
    of operation: SaveRefusal.Operation, _ conflicts: [Conflict], _ violations: [RuleViolation] = []
  ) throws -> SaveRefusal { try XCTUnwrap(SaveRefusal(of: operation, conflicts, violations)) }

  func testSaveErrors() throws {
    let refusal = try refusal(of: .save, [], [violation])
    check(
      SaveError.refused(refusal),
      """
      This save wrote nothing. 1 broken rule: \(note) has stars 9, which is not in 0...5. Assign other values, or \
      discard the changes to these objects. Then save again.
      """)
    check(
      SaveError.unreadable([note: .closed(path: path)]),
      """
      This save wrote nothing. 1 object could not be read. \(note): The store /data/notes.reprise was closed. Open it \
      again. Then save again. Or discard() the changes to these objects.
      """)
    check(
      SaveError.unreadable([
        note: .unreadableValue(object: note, property: "stars", value: .int(600), type: AttributeType(Int8.self))
      ]),
      """
      This save wrote nothing. 1 object could not be read. \(note): \(note).stars holds 600. Its type in the model, \
      Int8, cannot hold this value. Open the store with a model that can hold it. Or call refresh(), then assign \
      another value before you read this one. Then save again. Or discard() the changes to these objects.
      """)
    check(
      SaveError.overtaken([note, writer]),
      """
      This save wrote nothing. Another save changed \(note) and 1 more, which this context has read or looked for. \
      Call refresh(), check whether your changes are still right, then save again.
      """)
    check(
      SaveError.overtaken([]),
      """
      This save wrote nothing. Another save changed objects, which this context has read or looked for. Call \
      refresh(), check whether your changes are still right, then save again.
      """)
    check(
      SaveError.tooLarge(events: 100_001, limit: 100_000),
      """
      This save wrote nothing. It has 100001 events, and a transaction has at most 100000. Save in parts. If one \
      deletion concerns so many objects, discard the deletion and call BackgroundContext.deleteAll, which saves in \
      parts.
      """)
    check(
      SaveError.tooLong(limit: 1_000),
      """
      This save wrote nothing. An object, or the whole save, has more than 1000 bytes. Save in parts, and keep large \
      data in attributes of the type Blob. If one deletion is too large, discard the deletion and call \
      BackgroundContext.deleteAll, which saves in parts.
      """)
    check(
      SaveError.savedInPart(count: 2, position: 7, reason: .refused(refusal)),
      """
      This call saved 2 objects, up to transaction 7, and its next save failed. This save wrote nothing. 1 broken \
      rule: \(note) has stars 9, which is not in 0...5. Assign other values, or discard the changes to these objects. \
      Then save again. Then repeat the call. If it is an import, leave out the first 2 elements.
      """)
    check(
      SaveError.unknown(entity: "Note", property: "stars"),
      """
      The difference was not applied. It changes Note.stars, which the models of this program lack. Apply the \
      difference with a program whose models have it.
      """)
    check(
      SaveError.unknown(entity: "Note", property: nil),
      """
      The difference was not applied. It changes Note, which the models of this program lack. Apply the difference \
      with a program whose models have it.
      """)
    check(
      SaveError.store(.diskFull(path: path)),
      """
      This save wrote nothing. The disk of /data/notes.reprise is full, or a size limit of the process or the file \
      system is reached. Nothing was lost. Free some space or raise the limit, then try again.
      """)
    check(
      SaveError.outcomeUnknown(transaction: note.uuid),
      """
      The disk failed during the commit of transaction \(note.uuid), or a shared log did not answer. The transaction \
      may or may not be in the log. If the disk failed, close the store, repair the disk and open the store again. \
      Then call `position(ofTransaction:)`.
      """)
    check(
      SaveError.unavailable(reason: "connection refused"),
      """
      This save wrote nothing. The shared log could not be reached: connection refused. Save again later.
      """)
    try assertEveryCaseWasChecked(of: "SaveError")
  }

  func testRevertErrors() throws {
    check(
      RevertError.refused(try refusal(of: .revert(3), [], [violation])),
      """
      Transaction 3 was not reverted. 1 rule would be broken: \(note) has stars 9, which is not in 0...5. Change or \
      delete the objects that are in the way, or relax these rules in the models. Then repeat the call.
      """)
    check(
      RevertError.refused(try refusal(of: .revert(3), [], [violation, violation])),
      """
      Transaction 3 was not reverted. 2 rules would be broken: \(note) has stars 9, which is not in 0...5; \(note) has \
      stars 9, which is not in 0...5. Change or delete the objects that are in the way, or relax these rules in the \
      models. Then repeat the call.
      """)
    check(
      RevertError.uncommittedChanges,
      """
      Nothing was reverted. A reversal is saved as a separate transaction, but the context has uncommitted changes, a \
      running save, or an open group. Save or discard the changes, wait for the save, or end the group first.
      """, named: "uncommittedChanges")
    check(
      RevertError.nothingLeft(3),
      """
      Transaction 3 was not reverted. Later changes replaced or deleted everything that this transaction changed. Call \
      undo() or redo() again to continue with the next step.
      """)
    check(
      RevertError.notFound(9, head: 7),
      "Transaction 9 was not reverted. The log does not have it, and ends with transaction 7. Use the position of a "
        + "transaction in the log.")
    check(
      RevertError.irreversible(3, .noChanges),
      "Transaction 3 was not reverted. It changed no objects. Revert another transaction.")
    check(
      RevertError.irreversible(3, .unknown(entity: "Note", property: "stars")),
      """
      Transaction 3 was not reverted. It changed Note.stars, which the models of this program lack, or which a \
      migration has converted since then. Assign the values that you want, or revert the transaction with a program \
      that has this property.
      """)
    check(
      RevertError.irreversible(3, .unknown(entity: "Note", property: nil)),
      """
      Transaction 3 was not reverted. It changed Note, which the models of this program lack. Revert the transaction \
      with a program that has this model.
      """)
    check(
      RevertError.irreversible(3, .erased),
      """
      Transaction 3 was not reverted. `StoreMaintenance.erase` erased its old values from the log. Assign the values \
      that you want.
      """)
    check(
      RevertError.store(.closed(path: path)),
      "Nothing was reverted. The store /data/notes.reprise was closed. Open it again.")
    try assertEveryCaseWasChecked(of: "RevertError")
  }

  func testARefusalListsEveryKindOfReason() throws {
    let conflict = Conflict(object: note, kind: .deletedByMe)
    check(
      try XCTUnwrap(SaveRefusal(of: .childSave, [conflict], [violation, violation], [value])),
      """
      Nothing was saved into the parent context. 1 conflict with a change of the parent: \(note): these changes \
      delete it, and another change modified it. 2 broken rules: \(note) has stars 9, which is not in 0...5; \
      \(note) has stars 9, which is not in 0...5. 1 invalid value: \(note).stars: "five" is not an integer. Resolve \
      each conflict with `resolve(_:with:)`, or discard the changes to its object. Assign other values, or discard \
      the changes to these objects. Then save again.
      """)
    let four = [conflict, conflict, conflict, conflict]
    let one = "\(note): these changes delete it, and another change modified it"
    check(
      try refusal(of: .difference, four),
      """
      The difference was not applied. 4 conflicts with other changes: \(one); \(one); \(one); …. Repeat the call \
      with a merge policy that decides each conflict.
      """)
    let unsaved = Conflict(object: note, kind: .unsavedTarget("writer"), mine: .reference(writer))
    check(
      try refusal(of: .save, [unsaved]),
      """
      This save wrote nothing. 1 conflict: \(note).writer: refers to \(writer), which was never saved. Assign another \
      object. Resolve each conflict with `resolve(_:with:)`, or discard the changes to its object. Then save again.
      """)
    check(
      try refusal(of: .save, [conflict]),
      """
      This save wrote nothing. 1 conflict with another save: \(one). Resolve each conflict with `resolve(_:with:)`, or \
      discard the changes to its object. Then save again.
      """)
    check(
      try refusal(of: .revert(3), [conflict]),
      """
      Transaction 3 was not reverted. 1 conflict with a later change: \(note): transaction 3 inserted this object, and \
      a later change modified it (an uncommitted change). Repeat the call with a merge policy that decides each \
      conflict.
      """)
    let value = Conflict(object: note, kind: .attribute("stars"), base: .int(4), mine: .int(3), theirs: .int(5))
    check(
      try refusal(of: .revert(3), [value]),
      """
      Transaction 3 was not reverted. 1 conflict with a later change: \(note).stars: transaction 3 changed it from 3 \
      to 4, and a later change to 5 (an uncommitted change). Repeat the call with a merge policy that decides each \
      conflict.
      """)
    let lost = Conflict(object: note, kind: .unrestorable)
    check(
      try refusal(of: .save, [lost]),
      """
      This save wrote nothing. 1 conflict with another save: \(lost). Insert a new object for each object that cannot \
      be restored, and discard the changes to the old one. Then save again.
      """)
    check(
      try refusal(of: .save, [lost, value]),
      """
      This save wrote nothing. 2 conflicts with other saves: \(lost); \(value). Insert a new object for each object \
      that cannot be restored, and discard the changes to the old one. Resolve each other conflict with \
      `resolve(_:with:)`, or discard the changes to its object. Then save again.
      """)
    check(
      try refusal(of: .difference, [conflict]),
      """
      The difference was not applied. 1 conflict with another change: \(one). Repeat the call with a merge policy that \
      decides each conflict.
      """)
    let other = Conflict(object: writer, kind: .deletedByThem)
    let reverted = try XCTUnwrap(
      SaveRefusal(of: .revert(3), [conflict, other], [], transactions: [conflict: [4, 5, 6, 7]]))
    check(
      reverted,
      """
      Transaction 3 was not reverted. 2 conflicts with later changes: \(note): transaction 3 inserted this object, \
      and a later change modified it (transactions 4, 5, 6, …); \(writer): transaction 3 changed this object, and a \
      later change deleted it (an uncommitted change). Repeat the call with a merge policy that decides each conflict.
      """)
    let missing = Conflict(object: note, kind: .missingTarget("writer"), mine: .reference(writer))
    check(
      try refusal(of: .revert(3), [missing]),
      """
      Transaction 3 was not reverted. 1 conflict with a later change: \(note).writer: the reversal would refer to \
      \(writer), which a later change deleted (an uncommitted change). Repeat the call with a merge policy that \
      decides each conflict.
      """)
    check(
      try refusal(of: .difference, [lost]),
      """
      The difference was not applied. 1 conflict with another change: \(lost). Repeat the call with a merge policy \
      that decides each conflict. An object that cannot be restored needs `theirs`, which keeps it deleted.
      """)
    XCTAssertNil(SaveRefusal(of: .save, [], []))
  }

  /// They are parts of the sentences of a refusal.
  func testConflicts() {
    let texts: [(Conflict.Kind, String)] = [
      (.deletedByThem, "\(note): these changes modify it, and another change deleted it"),
      (
        .unrestorable,
        """
        \(note): these changes modify it, another change deleted it, and the log no longer has its last values \
        (`TransactionLog.retain`, or a power cut)
        """
      ),
      (.deletedByMe, "\(note): these changes delete it, and another change modified it"),
      (.missingTarget("writer"), "\(note).writer: refers to \(writer), which was deleted elsewhere"),
      (.unsavedTarget("writer"), "\(note).writer: refers to \(writer), which was never saved. Assign another object"),
      (.addedToDeleted("tags", .nullify), "\(note).tags: set by another save to \(note), which is deleted here"),
      (
        .addedToDeleted("tags", .cascade),
        "\(note).tags: set by another save to \(note), which is deleted here, so the delete rule would also delete "
          + "\(note)"
      ),
      (
        .taken("cover", by: note),
        "\(note).cover: refers to \(writer), but another save assigned \(writer) to \(note), and only one object can "
          + "have it"
      ),
      (.insertedTwice, "\(note): inserted here, but another save inserted an object with the same ID"),
    ]
    for (kind, text) in texts {
      let conflict = Conflict(
        object: note, kind: kind, mine: .reference(writer), theirs: .reference(note))
      XCTAssertEqual(conflict.description, text)
    }
    let values = Conflict(
      object: note, kind: .attribute("stars"), base: .int(1), mine: .int(2), theirs: .int(3))
    XCTAssertEqual(values.description, "\(note).stars: was 1, mine 2, theirs 3")
  }

  func testInvalidValues() {
    let texts: [(InvalidValue.Reason, PropertyValue, String)] = [
      (.typeMismatch(expected: "an integer"), .string("five"), "\(note).stars: \"five\" is not an integer"),
      (.outOfRange, .int(600), "\(note).stars: its type in the model cannot hold 600"),
      (.missing, .null, "\(note).stars must have a value, and is not optional"),
      (.unsavedTarget, .reference(writer), "\(note).stars: there is no object \(writer), and there never was one"),
      (.missingBlob, .blob(.empty), "\(note).stars: the store does not have the bytes of the \(Blob.empty)"),
    ]
    for (reason, value, text) in texts {
      let invalid = InvalidValue(object: note, property: "stars", value: value, reason: reason)
      XCTAssertEqual(invalid.description, text)
    }
    let typed = InvalidValue(object: note, property: "stars", value: .int(600), reason: .outOfRange, type: Int8.self)
    XCTAssertEqual(typed.description, "\(note).stars: Int8, its type in the model, cannot hold 600")
  }

  func testBrokenRules() {
    let texts: [(RuleViolation.Rule, String)] = [
      (.unique(heldBy: writer), "\(note) has stars 9, and so has \(writer)"),
      (.required, "\(note) has no stars, which is required"),
      (.minimum(10), "\(note) has 9 in stars, and needs at least 10"),
      (.maximum(8), "\(note) has 9 in stars, and may have at most 8"),
      (.deny, "\(note) is deleted, but still has stars 9, and the delete rule is `deny`"),
      (.noAction, "\(note) has stars 9, which is deleted"),
      (.range("0...5"), "\(note) has stars 9, which is not in 0...5"),
      (.length("1...80"), "\(note) has stars 9, whose length is not in 1...80"),
      (.pattern("[a-z]+"), "\(note) has stars 9, which does not match [a-z]+"),
      (.allowedValues([.int(1), .int(2)]), "\(note) has stars 9, which is none of 1, 2"),
      (.valid("it is even"), "\(note) has stars 9: it is even"),
      (.object("it ends before it begins"), "\(note): it ends before it begins"),
      (.derived(.int(3)), "\(note) has stars 9, but the value computed from its other properties is 3"),
    ]
    for (rule, text) in texts {
      let violation = RuleViolation(object: note, properties: ["stars"], values: [.int(9)], rule: rule)
      XCTAssertEqual(violation.description, text)
    }
  }
}
