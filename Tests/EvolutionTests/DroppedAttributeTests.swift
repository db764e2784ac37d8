import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

/// A draft whose program had an attribute or an entity that these models lack is recovered without them.
@MainActor final class DroppedAttributeTests: XCTestCase {
  private let test = ShapedStore()

  private func coloured() -> any PersistentModel.Type {
    ShapeA.named("Note", .attribute("title", String.self), .attribute("colour", String.self))
  }

  private func plain() -> any PersistentModel.Type { ShapeA.named("Note", .attribute("title", String.self)) }

  private func tag() -> any PersistentModel.Type { ShapeB.named("Tag", .attribute("word", String.self)) }

  private static let long = String(repeating: "a long text, ", count: 50)

  /// A draft that edits both attributes of a note, inserts another, and a tag.
  private func leave(checkpointing: Bool) async throws -> (saved: ShapeA.ID, new: ShapeA.ID) {
    let store = try await test.open(coloured(), tag())
    let root = store.mainContext
    let saved = root.insert(ShapeA(["title": "saved", "colour": "white"]))
    try await root.save()
    let editor = try root.makeChild(draft: "editor")
    try editor.object(saved.id)["title"] = .string("typed")
    try editor.object(saved.id)["colour"] = .string("red")
    let new = editor.insert(ShapeA(["title": Self.long, "colour": "blue"]))
    editor.insert(ShapeB(["word": "green"]))
    new["title"] = .string(Self.long + "and more")
    try await store.flush()
    if checkpointing { try await store.close() } else { await store.abandon() }
    return (saved.id, new.id)
  }

  /// After the restore, another model has the numbers of the one that the draft was typed with.
  func testADraftOfOtherModelsThanARestoredStoreHasSaysSo() async throws {
    let file = test.path + "/data.mdb"
    try await test.open(plain()).close()
    try FileManager.default.copyItem(atPath: file, toPath: file + ".copy")
    let before = try await test.open(plain(), tag())
    let typing = try RootContext(before, draft: "editor")
    typing.insert(ShapeB(["word": "typed"]))
    try await before.flush()
    await before.abandon()
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: file + ".copy", toPath: file)
    let label = ShapeC.named("Label", .attribute("text", String.self))
    let store = try await test.open(plain(), label)
    let listed = try XCTUnwrap(try store.drafts.all().first)
    XCTAssertTrue(listed.problems.contains { $0.contains("in the wrong property now") }, "\(listed.problems)")
    XCTAssertEqual(try RootContext(store, draft: "editor").draftProblems, listed.problems)
    try await store.close()
  }

  func testTheRestOfADraftIsThereAndTheLostValuesAreListed() async throws {
    for checkpointing in [false, true] {
      let (saved, new) = try await leave(checkpointing: checkpointing)
      let store = try await test.open(plain())
      let info = try XCTUnwrap(try store.drafts.all().first)
      XCTAssertNil(info.unreadableReason)
      XCTAssertEqual(Set(info.objects), [saved.any, new.any])
      let editor = try store.mainContext.makeChild(draft: "editor")
      XCTAssertEqual(try editor.object(saved)["title"], .string("typed"))
      XCTAssertEqual(try editor.object(new)["title"], .string(Self.long + "and more"))
      let losses = editor.draftProblems
      XCTAssertEqual(losses.count, 3, "\(losses)")
      for word in ["red", "blue", "green"] {
        XCTAssertEqual(losses.filter { $0.contains(word) }.count, 1, "\(word): \(losses)")
      }
      XCTAssertEqual(losses.filter { $0.contains("Note.colour") }.count, 2, "\(losses)")
      XCTAssertEqual(losses.filter { $0.contains("Tag") }.count, 1, "\(losses)")
      // Undo goes as far as there is something to undo.
      for _ in 0..<5 where editor.canUndo { editor.undo() }
      XCTAssertEqual(try editor.object(saved)["title"], .string("saved"))
      XCTAssertNil(editor.find(new))
      for _ in 0..<5 where editor.canRedo { editor.redo() }
      XCTAssertEqual(try editor.object(new)["title"], .string(Self.long + "and more"))
      try editor.save()
      try await store.mainContext.save()
      XCTAssertEqual(try store.mainContext.fetch(Fetch<ShapeA>()).map { $0["title"] }.count, 2)
      let report = try await StoreMaintenance.verify(store)
      XCTAssertEqual(report.problems, [])
      try await store.close()
      // What was saved before keeps its colour.
      let again = try await test.open(coloured(), tag())
      XCTAssertEqual(try again.mainContext.object(saved)["colour"], .string("white"))
      try await again.close()
      try FileManager.default.removeItem(atPath: test.path)
    }
  }

  func testAProgramWithTheAttributeFindsTheDraftWhole() async throws {
    let (saved, new) = try await leave(checkpointing: true)
    var store = try await test.open(plain())
    do {
      let editor = try store.mainContext.makeChild(draft: "editor")
      try editor.object(saved)["title"] = .string("typed without the colour")
    }
    try await store.close()
    store = try await test.open(coloured(), tag())
    let editor = try store.mainContext.makeChild(draft: "editor")
    XCTAssertEqual(editor.draftProblems, [])
    XCTAssertEqual(try editor.object(saved)["title"], .string("typed without the colour"))
    XCTAssertEqual(try editor.object(saved)["colour"], .string("red"))
    XCTAssertEqual(try editor.object(new)["colour"], .string("blue"))
    XCTAssertEqual(try editor.fetch(Fetch<ShapeB>()).map { $0["word"] }, [.string("green")])
    try await store.close()
  }

  func testADraftOfNothingThatIsKnownIsKept() async throws {
    let store = try await test.open(coloured(), tag())
    let editor = try store.mainContext.makeChild(draft: "editor")
    editor.insert(ShapeB(["word": "green"]))
    try await store.flush()
    await store.abandon()
    let next = try await test.open(plain())
    XCTAssertNotNil(try next.drafts.all().first?.unreadableReason)
    XCTAssertThrowsError(try next.mainContext.makeChild(draft: "editor"))
    try await next.close()
    let again = try await test.open(coloured(), tag())
    XCTAssertEqual(
      try again.mainContext.makeChild(draft: "editor").fetch(Fetch<ShapeB>()).map { $0["word"] }, [.string("green")])
    try await again.close()
  }

  /// A reversal that has lost a step takes back the rest, and still names its transaction.
  func testAReversalWithoutOneOfItsStepsIsReadable() async throws {
    for checkpointing in [false, true] {
      var store = try await test.open(coloured(), tag())
      let root = store.mainContext
      let note = root.insert(ShapeA(["title": "first", "colour": "white"]))
      root.insert(ShapeB(["word": "green"]))
      try await root.save()
      (note["title"], note["colour"]) = (.string("second"), .string("red"))
      let position = try await root.save()
      do {
        let editor = try RootContext(store, draft: "editor")
        try editor.revert(transactionAt: position)
        try await store.flush()
      }
      if checkpointing { try await store.close() } else { await store.abandon() }

      store = try await test.open(plain())
      let info = try XCTUnwrap(try store.drafts.all().first)
      XCTAssertNil(info.unreadableReason)
      let editor = try RootContext(store, draft: "editor")
      XCTAssertEqual(try editor.object(note.id)["title"], .string("first"))
      XCTAssertEqual(editor.draftProblems.filter { $0.contains("white") }.count, 1, "\(editor.draftProblems)")
      editor.undo()
      XCTAssertEqual(try editor.object(note.id)["title"], .string("second"))
      editor.redo()
      let reverted = try await editor.save()
      XCTAssertEqual(try store.log.transaction(at: reverted)?.undoes, position)
      XCTAssertEqual(try RootContext(store).object(note.id)["title"], .string("first"))
      let report = try await StoreMaintenance.verify(store)
      XCTAssertEqual(report.problems, [])
      try await store.close()
      try FileManager.default.removeItem(atPath: test.path)
    }
  }

  /// An attribute got another type, and its value in the draft does not fit.
  func testAValueOfAnotherTypeIsListed() async throws {
    let store = try await test.open(coloured(), tag())
    let note = store.mainContext.insert(ShapeA(["title": "saved", "colour": "1"]))
    try await store.mainContext.save()
    do {
      let editor = try store.mainContext.makeChild(draft: "editor")
      try editor.object(note.id)["title"] = .string("typed")
      try editor.object(note.id)["colour"] = .string("no number")
    }
    try await store.flush()
    await store.abandon()
    let numbers = ShapeA.named("Note", .attribute("title", String.self), .attribute("colour", Int.self))
    let conversion = Migration(
      to: 1, "Colours are numbers",
      AttributeConversion("colour", of: "Note", from: String.self, to: Int.self) { text in
        guard let number = Int(text) else { throw NoNumber() }
        return number
      })
    let next = try await test.open([numbers, tag()], [conversion])
    let editor = try next.mainContext.makeChild(draft: "editor")
    XCTAssertEqual(try editor.object(note.id)["title"], .string("typed"))
    XCTAssertEqual(try editor.object(note.id)["colour"], .int(1))
    XCTAssertEqual(editor.draftProblems.filter { $0.contains("no number") }.count, 1, "\(editor.draftProblems)")
    try await next.close()
  }
}
