import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import XCTest

/// What was typed before a migration is still there afterwards, in the form that the migration gave its attributes.
final class DraftConversionTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open(_ model: any PersistentModel.Type, _ migrations: Migration...) async throws -> Store {
    let plan = migrations.isEmpty ? nil : MigrationPlan(migrations)
    return try await Store.open(path, for: Schema([model]), migrations: plan)
  }

  private func price<Model: Version>(
    _ label: String, _ context: some EditingContext, _ model: Model.Type
  ) throws -> Model {
    try XCTUnwrap(try context.fetch(Fetch<Model>()).first { $0["label"] == .string(label) }, label)
  }

  private func end(_ store: Store, closing: Bool) async throws {
    if closing { try await store.close() } else { await store.abandon() }
  }

  /// A price of 5 and one of 6, and a draft that makes 12 of the one, deletes the other, and inserts one of 70.
  private func typeEdits(closing: Bool) async throws {
    let store = try await open(TextPrice.self)
    let context = RootContext(store)
    context.insert(TextPrice(["label": "changed", "amount": "5"]))
    context.insert(TextPrice(["label": "deleted", "amount": "6"]))
    try await context.save()
    let editor = try RootContext(store, draft: "editor")
    let changed = try price("changed", editor, TextPrice.self)
    editor.group("First digit") { changed["amount"] = .string("1") }
    editor.group("Second digit") { changed["amount"] = .string("12") }
    try editor.group("Delete") { editor.delete(try price("deleted", editor, TextPrice.self)) }
    editor.group("Insert") { _ = editor.insert(TextPrice(["label": "inserted", "amount": "70"])) }
    editor.group("Third digit") { changed["amount"] = .string("123") }
    editor.undo()
    try await store.flush()
    try await end(store, closing: closing)
  }

  /// A price of 5, and a draft that edits it.
  private func typeEdit(of label: String, _ edit: (RootContext, TextPrice) -> Void) async throws {
    let store = try await open(TextPrice.self)
    let context = RootContext(store)
    context.insert(TextPrice(["label": label, "amount": "5"]))
    try await context.save()
    let editor = try RootContext(store, draft: "editor")
    edit(editor, try price(label, editor, TextPrice.self))
    try await store.flush()
    await store.abandon()
  }

  func testEditsTypedBeforeAMigrationAreThereAfterwardsWithTheirUndoAndAreSavedWithoutAConflict() async throws {
    for closing in [false, true] {
      try? FileManager.default.removeItem(atPath: path)
      try await typeEdits(closing: closing)
      let store = try await open(Price.self, toNumbers)
      let info = try XCTUnwrap(try store.drafts.all().first)
      XCTAssertNil(info.unreadableReason)
      XCTAssertEqual(info.objects.count, 3)
      XCTAssertEqual(info.lastGroupName, "Insert")
      let editor = try RootContext(store, draft: "editor")
      let changed = try price("changed", editor, Price.self)
      XCTAssertEqual(changed["amount"], .int(12))
      XCTAssertEqual(try price("inserted", editor, Price.self)["amount"], .int(70))
      XCTAssertEqual(try editor.count(Fetch<Price>()), 2)
      XCTAssertEqual(try editor.conflicts().count, 0)
      editor.redo()
      XCTAssertEqual(changed["amount"], .int(123))
      for expected in [12, 12, 12, 1, 5] {
        editor.undo()
        XCTAssertEqual(changed["amount"], .int(Int64(expected)))
      }
      XCTAssertEqual(try price("deleted", editor, Price.self)["amount"], .int(6))
      XCTAssertFalse(editor.canUndo)
      for _ in 0..<4 { editor.redo() }
      try await editor.save()
      let context = RootContext(store)
      XCTAssertEqual(try context.fetch(Fetch<Price>()).map { $0["amount"] }, [.int(12), .int(70)])
      try await assertSound(store)
      try await store.close()
    }
  }

  func testADraftGoesThroughAllMigrationsThatItMissed() async throws {
    try await typeEdits(closing: false)
    let store = try await open(Cost.self, toNumbers, toCosts)
    let editor = try RootContext(store, draft: "editor")
    let changed = try price("changed", editor, Cost.self)
    XCTAssertEqual(changed["sum"], .double(0.12))
    editor.undo()
    editor.undo()
    editor.undo()
    XCTAssertEqual(changed["sum"], .double(0.01))
    try await store.close()
  }

  func testADraftThatWasTakenUpNeedsNoPlanAnyMoreAndGoesOn() async throws {
    try await typeEdits(closing: false)
    do {
      let store = try await open(Price.self, toNumbers)
      let editor = try RootContext(store, draft: "editor")
      let changed = try price("changed", editor, Price.self)
      editor.group("More") { changed["amount"] = .int(1_200) }
      try await store.flush()
      await store.abandon()
    }
    let store = try await open(Price.self, Migration(to: 1, "What it converted is forgotten"))
    let editor = try RootContext(store, draft: "editor")
    let changed = try price("changed", editor, Price.self)
    XCTAssertEqual(changed["amount"], .int(1_200))
    editor.undo()
    XCTAssertEqual(changed["amount"], .int(12))
    try await store.close()
  }

  private static let toBytes = Migration(
    to: 1, "Labels are bytes",
    AttributeConversion("label", of: "Price", from: String.self, to: [UInt8].self) { Array($0.utf8) })

  func testTheKeystrokesOfALongTextAreConverted() async throws {
    // The longer one lies beside its object.
    for (closing, count) in [(false, 10), (true, 10), (false, 1_000), (true, 1_000)] {
      let text = String(repeating: "All this was typed. ", count: count)
      try? FileManager.default.removeItem(atPath: path)
      do {
        let store = try await open(TextPrice.self)
        let context = RootContext(store)
        context.insert(TextPrice(["label": text]))
        try await context.save()
        let editor = try RootContext(store, draft: "editor")
        let edited = try XCTUnwrap(try editor.fetch(Fetch<TextPrice>()).first)
        for count in 1...4 {
          editor.group("Key") { edited["label"] = .string(text + "abcd".prefix(count)) }
        }
        editor.undo()
        try await store.flush()
        try await end(store, closing: closing)
      }
      let store = try await open(BytesPrice.self, Self.toBytes)
      let editor = try RootContext(store, draft: "editor")
      let edited = try XCTUnwrap(try editor.fetch(Fetch<BytesPrice>()).first)
      XCTAssertEqual(edited["label"], .bytes(Array((text + "abc").utf8)))
      editor.redo()
      for count in [3, 2, 1, 0] {
        editor.undo()
        XCTAssertEqual(edited["label"], .bytes(Array((text + "abc".prefix(count)).utf8)))
      }
      for _ in 1...4 { editor.redo() }
      XCTAssertEqual(edited["label"], .bytes(Array((text + "abcd").utf8)))
      try await editor.save()
      try await store.close()
    }
  }

  func testUndoEndsBeforeAValueThatCannotBeConvertedAndTheEditsStay() async throws {
    try await typeEdit(of: "changed") { editor, changed in
      for text in ["1", "1x", "12", "123"] { editor.group("Key") { changed["amount"] = .string(text) } }
    }
    let store = try await open(Price.self, toNumbers)
    let editor = try RootContext(store, draft: "editor")
    let changed = try price("changed", editor, Price.self)
    XCTAssertEqual(changed["amount"], .int(123))
    XCTAssertEqual(
      editor.draftProblems,
      [
        "Undo or redo in the draft 'editor' cannot reach all of its steps: the library looked for a value of amount "
          + "that the migration can convert (no number) in a step, and found something else. The present state of the "
          + "draft is complete. To return to the saved values, discard the draft."
      ])
    editor.undo()
    XCTAssertEqual(changed["amount"], .int(12))
    XCTAssertFalse(editor.canUndo)
    try await editor.save()
    XCTAssertEqual(try price("changed", RootContext(store), Price.self)["amount"], .int(12))
    try await store.close()
  }

  /// The rest of the draft is there, also of a new object, and each opening lists the values.
  func testValuesThatCannotBeConvertedAreLeftOut() async throws {
    for closing in [false, true] {
      try? FileManager.default.removeItem(atPath: path)
      do {
        let store = try await open(TextPrice.self)
        let context = RootContext(store)
        for label in ["changed", "stuck", "deleted"] { context.insert(TextPrice(["label": label, "amount": "5"])) }
        try await context.save()
        let editor = try RootContext(store, draft: "editor")
        try price("changed", editor, TextPrice.self)["amount"] = .string("12")
        let stuck = try price("stuck", editor, TextPrice.self)
        editor.group("Stick") {
          stuck["amount"] = .string("much")
          stuck["label"] = .string("stuck fast")
        }
        try editor.delete(price("deleted", editor, TextPrice.self))
        editor.group("Insert") { _ = editor.insert(TextPrice(["label": "inserted", "amount": "a lot"])) }
        try await store.flush()
        try await end(store, closing: closing)
      }
      for isLast in [false, true] {
        let store = try await open(Price.self, toNumbers)
        let info = try XCTUnwrap(try store.drafts.all().first)
        XCTAssertNil(info.unreadableReason)
        XCTAssertEqual(info.objects.count, 4)
        let editor = try RootContext(store, draft: "editor")
        XCTAssertEqual(try price("changed", editor, Price.self)["amount"], .int(12))
        let (stuck, inserted) = (
          try price("stuck fast", editor, Price.self), try price("inserted", editor, Price.self)
        )
        XCTAssertEqual(stuck["amount"], .int(5))
        XCTAssertEqual(inserted["amount"], .int(0))
        XCTAssertEqual(try editor.count(Fetch<Price>()), 3)
        XCTAssertEqual(try editor.conflicts().count, 0)
        let left = { (object: Price, value: String) in
          "The draft 'editor' gives Price.amount of \(object.id.uuid) the value \"\(value)\", which cannot be "
            + "converted to the present type: no number. The value is left out. Assign a value of the present type, "
            + "then save or discard the draft."
        }
        let expected: Set = [left(stuck, "much"), left(inserted, "a lot")]
        XCTAssertTrue(expected.isSubset(of: editor.draftProblems), "\(editor.draftProblems)")
        XCTAssertTrue(expected.isSubset(of: info.problems), "\(info.problems)")
        if isLast {
          for _ in 0..<9 where editor.canUndo { editor.undo() }
          XCTAssertNil(editor.find(inserted.id))
          for _ in 0..<9 where editor.canRedo { editor.redo() }
          XCTAssertEqual(try price("stuck fast", editor, Price.self)["amount"], .int(5))
          try await editor.save()
          XCTAssertEqual(
            try RootContext(store).fetch(Fetch<Price>()).map { $0["amount"] }, [.int(12), .int(5), .int(0)])
          XCTAssertEqual(try store.drafts.all(), [])
          try await assertSound(store)
        }
        await store.abandon()
      }
    }
  }

  /// A value that the user has assigned again is not listed any more, and wins over the unconverted one.
  func testAnUnconvertedValueThatIsAssignedAgain() async throws {
    try await typeEdit(of: "stuck") { $1["amount"] = .string("70") }
    // This program does not have the conversion any more.
    let forgotten = Migration(to: 1, "What it converted is forgotten")
    var problems: [[String]] = []
    try await open(Price.self, toNumbers).close()
    for amount in [Int64?.none, 8, nil] {
      let store = try await open(Price.self, forgotten)
      let editor = try RootContext(store, draft: "editor")
      problems.append(editor.draftProblems)
      if let amount { try price("stuck", editor, Price.self)["amount"] = .int(amount) }
      try await store.flush()
      await store.abandon()
    }
    XCTAssertEqual(problems.map(\.count), [1, 1, 0])
    XCTAssertTrue(problems[0][0].contains("no migration of this program converts the value"), problems[0][0])
    let store = try await open(Price.self, toNumbers)
    let editor = try RootContext(store, draft: "editor")
    XCTAssertEqual(try price("stuck", editor, Price.self)["amount"], .int(8))
    XCTAssertEqual(editor.draftProblems, [])
    try await editor.save()
    XCTAssertEqual(try price("stuck", RootContext(store), Price.self)["amount"], .int(8))
    try await assertSound(store)
    try await store.close()
  }

  /// An editor with only such a value opens, and its user can type another one.
  func testADraftOfOnlyAnUnconvertedValueIsReadable() async throws {
    try await typeEdit(of: "stuck") { $1["amount"] = .string("much") }
    let store = try await open(Price.self, toNumbers)
    XCTAssertTrue(store.drafts.hasEdits("editor"))
    let info = try XCTUnwrap(try store.drafts.all().first)
    XCTAssertNil(info.unreadableReason)
    let editor = try RootContext(store, draft: "editor")
    XCTAssertEqual(editor.draftProblems, info.problems)
    XCTAssertEqual(editor.draftProblems.count, 1, "\(editor.draftProblems)")
    XCTAssertFalse(editor.hasChanges)
    try price("stuck", editor, Price.self)["amount"] = .int(7)
    try await editor.save()
    XCTAssertEqual(try price("stuck", RootContext(store), Price.self)["amount"], .int(7))
    XCTAssertEqual(try store.drafts.all(), [])
    try await store.close()
  }

  func testADraftOfManyEditsAndThoseOfItsChildrenAreConvertedEach() async throws {
    for closing in [false, true] {
      try? FileManager.default.removeItem(atPath: path)
      do {
        let store = try await open(TextPrice.self)
        let context = RootContext(store)
        for number in 0..<1_500 { context.insert(TextPrice(["label": "\(number)", "amount": "1"])) }
        try await context.save()
        let editor = try RootContext(store, draft: "editor")
        for (number, price) in try editor.fetch(Fetch<TextPrice>()).enumerated() {
          editor.group("Edit") { price["amount"] = .string("\(number)") }
        }
        let child = try editor.makeChild(draft: "editor/child")
        let edited = try price("7", child, TextPrice.self)
        child.group("Edit") { edited["amount"] = .string("70") }
        child.group("Edit") { edited["amount"] = .string("77") }
        try await store.flush()
        try await end(store, closing: closing)
      }
      let store = try await open(Price.self, toNumbers)
      let editor = try RootContext(store, draft: "editor")
      let child = try editor.makeChild(draft: "editor/child")
      let edited = try price("7", child, Price.self)
      XCTAssertEqual(edited["amount"], .int(77))
      XCTAssertEqual(try price("7", editor, Price.self)["amount"], .int(7))
      child.undo()
      XCTAssertEqual(edited["amount"], .int(70))
      child.undo()
      XCTAssertEqual(edited["amount"], .int(7))
      child.redo()
      try child.save()
      editor.undo()
      XCTAssertEqual(try price("7", editor, Price.self)["amount"], .int(7))
      editor.undo()
      XCTAssertEqual(try price("1499", editor, Price.self)["amount"], .int(1))
      XCTAssertEqual(try price("1498", editor, Price.self)["amount"], .int(1_498))
      try await editor.save()
      let saved = try RootContext(store).fetch(Fetch<Price>()).map { $0["amount"] }
      XCTAssertEqual(saved, (0..<1_500).map { .int($0 == 1_499 ? 1 : Int64($0)) })
      try await store.close()
    }
  }

  func testADraftKeepsTheBlobThatItsBytesBecome() async throws {
    let toBlobs = Migration(to: 1, "Labels are blobs", .blob("label", of: "Price", from: String.self))
    let text = String(repeating: "What only the draft has. ", count: 10_000)
    do {
      let store = try await open(TextPrice.self)
      let context = RootContext(store)
      context.insert(TextPrice(["label": "short"]))
      try await context.save()
      let editor = try RootContext(store, draft: "editor")
      try XCTUnwrap(try editor.fetch(Fetch<TextPrice>()).first)["label"] = .string(text)
      try await store.flush()
      await store.abandon()
    }
    for isSaving in [false, true] {
      let store = try await open(BlobPrice.self, toBlobs)
      let editor = try RootContext(store, draft: "editor")
      let edited = try XCTUnwrap(try editor.fetch(Fetch<BlobPrice>()).first)
      guard case .blob(let blob) = edited["label"] else { return XCTFail("\(edited["label"])") }
      let bytes = try await blob.bytes(in: store)
      XCTAssertEqual(bytes, Array(text.utf8))
      if isSaving { try await editor.save() }
      try await assertSound(store)
      await store.abandon()
    }
  }
}

private final class BlobPrice: Version {
  static let entity = Entity(
    BlobPrice.self, name: "Price",
    properties: [.attribute("amount", String.self, default: "0", indexed: true), .attribute("label", Blob.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
