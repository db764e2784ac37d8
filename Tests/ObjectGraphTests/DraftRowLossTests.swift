import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore

/// Rows of checkpointed drafts that are lost or damaged are never lost without a word.
@MainActor
final class DraftRowLossTests: XCTestCase {
  private var test: TestStore!
  private var items: [Item.ID] = []

  /// A draft "editor" of so many edits, all in the tables.
  private func leaveDraft(wholeLimit: Int = 1_000, edits: Int = 6) async throws {
    test = try TestStore { $0.wholeDraftLimit = wholeLimit }
    let root = RootContext(test.store)
    let all = (0..<edits).map { root.insert(Item(name: "item \($0)", valueInDollars: $0)) }
    items = all.map(\.id)
    try await root.save("Load")
    do {
      let editor = try root.makeChild(draft: "editor")
      for id in items { try editor.object(id).valueInDollars += 1_000 }
      editor.undo()
    }
    try await relaunch()
  }

  private func relaunch() async throws {
    let store = test.store
    try store.journal.write()
    try await store.journals.checkpoint()
    await store.abandon()
    try test.open()
  }

  private func rows(_ kind: DraftRowKind) throws -> [(key: [UInt8], value: [UInt8])] {
    let table = test.store.tables.drafts
    return try test.store.environment.read { (transaction) throws(StorageError) in
      var rows: [(key: [UInt8], value: [UInt8])] = []
      var cursor = try transaction.view.cursor(table)
      while let entry = try cursor.next() {
        let key = entry.key.withUnsafeBytes { [UInt8]($0) }
        if key.first == kind.rawValue { rows.append((key, entry.value.withUnsafeBytes { [UInt8]($0) })) }
      }
      return rows
    }
  }

  private func write(_ key: [UInt8], _ value: [UInt8]?) throws {
    let table = test.store.tables.drafts
    try test.store.environment.write { (transaction) throws(StorageError) in
      if let value {
        try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
      } else {
        try transaction.delete(table, key: key.span.bytes)
      }
    }
  }

  private func verify() throws -> [String] { try StoreMaintenance.verifyNow(test.store).problems }

  func testLostRowsAreReportedByContextListAndVerify() async throws {
    for limit in [1_000, 0] {
      for (kind, isOnlyOne) in [DraftRowKind.change, .undo, .redo].flatMap({ kind in [true, false].map { (kind, $0) } })
      {
        try await leaveDraft(wholeLimit: limit)
        XCTAssertEqual(try verify(), [])
        XCTAssertEqual(try test.store.drafts.all().first?.problems, [])
        let lost = try rows(kind)
        for row in isOnlyOne ? lost.suffix(1) : lost[...] { try write(row.key, nil) }
        let message = "\(kind), limit \(limit), \(isOnlyOne ? "one" : "all")"
        XCTAssertEqual(try verify().count, 1, message)
        XCTAssertEqual(try test.store.drafts.all().first?.problems.count, 1, message)
        let root = RootContext(test.store)
        let editor = try root.makeChild(draft: "editor")
        // Of a draft of many edits, damage is noticed when they are read.
        _ = editor.changes
        while editor.canUndo { editor.undo() }
        XCTAssertEqual(editor.draftProblems.count, 1, message)
        XCTAssertTrue(editor.draftProblems.first?.contains("has lost") ?? false, message)
        await test.store.abandon()
      }
    }
  }

  /// Whoever takes the draft up next is told, even if the rows were written again before.
  func testLostRowsAreRememberedWhenRowsAreWrittenAgain() async throws {
    try await leaveDraft()
    try write(try XCTUnwrap(rows(.change).last?.key), nil)
    do {
      let editor = try RootContext(test.store).makeChild(draft: "editor")
      try editor.object(items[0]).name = "edited"
    }
    try await relaunch()
    XCTAssertEqual(try verify().count, 1)
    do {
      let root = RootContext(test.store)
      let editor = try root.makeChild(draft: "editor")
      XCTAssertEqual(editor.draftProblems.count, 1)
      try editor.save()
      try await root.save()
    }
    try await relaunch()
    XCTAssertEqual(try verify(), [])
    XCTAssertEqual(try RootContext(test.store).makeChild(draft: "editor").draftProblems, [])
  }

  /// New rows replace damaged ones: undo groups get other numbers, and an object is edited again.
  func testDamagedRowsAreRememberedWhenRowsAreWrittenAgain() async throws {
    for kind in [DraftRowKind.change, .undo] {
      try await leaveDraft()
      let row = try rows(kind)[2]
      var value = row.value
      value[value.count - 1] ^= 1
      try write(row.key, value)
      XCTAssertEqual(try test.store.drafts.all().first?.problems.count, 1, "\(kind)")
      for name in ["edited", "edited again"] {
        do {
          let editor = try RootContext(test.store).makeChild(draft: "editor")
          for id in items { try editor.object(id).name = name }
        }
        try await relaunch()
        XCTAssertEqual(try verify().count, 1, "\(kind), \(name)")
        XCTAssertEqual(try test.store.drafts.all().first?.problems.count, 1, "\(kind), \(name)")
        let losses = try RootContext(test.store).makeChild(draft: "editor").draftProblems
        XCTAssertEqual(losses.count, 1, "\(kind), \(name)")
        XCTAssertTrue(losses.first?.contains("has lost 1 of its rows") ?? false, "\(kind), \(name)")
      }
      do {
        let root = RootContext(test.store)
        let editor = try root.makeChild(draft: "editor")
        try editor.save()
        try await root.save()
      }
      try await relaunch()
      XCTAssertEqual(try verify(), [], "\(kind)")
      XCTAssertEqual(try test.store.drafts.all().flatMap(\.problems), [], "\(kind)")
      await test.store.abandon()
    }
  }

  /// A save takes rows out of the tables, and that is no loss.
  func testSavedRowsAreNotReportedAsLost() async throws {
    for limit in [1_000, 0] {
      try await leaveDraft(wholeLimit: limit)
      do {
        let root = RootContext(test.store)
        let editor = try root.makeChild(draft: "editor")
        try editor.save()
        try await root.save()
        try editor.object(items[1]).name = "later"
        XCTAssertEqual(try verify(), [])
        try test.store.journal.flush()
      }
      await test.store.abandon()
      try test.open()
      XCTAssertEqual(try verify(), [])
      XCTAssertEqual(try test.store.drafts.all().flatMap(\.problems), [])
      try await relaunch()
      XCTAssertEqual(try verify(), [])
      let editor = try RootContext(test.store).makeChild(draft: "editor")
      XCTAssertEqual(editor.draftProblems, [])
      XCTAssertEqual(try editor.object(items[1]).name, "later")
      await test.store.abandon()
    }
  }

  func testADraftWithADamagedHeaderIsListedAndReported() async throws {
    try await leaveDraft()
    let header = try XCTUnwrap(rows(.header).first)
    for bit in 0..<header.value.count * 8 {
      var value = header.value
      value[bit / 8] ^= 1 << UInt8(bit % 8)
      try write(header.key, value)
      XCTAssertEqual(try test.store.drafts.all().map(\.id), ["editor"], "bit \(bit)")
      XCTAssertFalse(try verify().isEmpty, "bit \(bit)")
    }
    try write(header.key, nil)
    for bit in 0..<17 * 8 {
      var key = header.key
      key[bit / 8] ^= 1 << UInt8(bit % 8)
      try write(key, header.value)
      XCTAssertEqual(try test.store.drafts.all().map(\.id), ["editor"], "bit \(bit) of the key")
      XCTAssertFalse(try verify().isEmpty, "bit \(bit) of the key")
      try write(key, nil)
    }
    XCTAssertFalse(try verify().isEmpty, "without a header")
    let editor = try RootContext(test.store).makeChild(draft: "editor")
    XCTAssertEqual(try editor.object(items[2]).valueInDollars, 1_002)
    XCTAssertFalse(editor.draftProblems.isEmpty)
  }

  func testADamagedHeaderGoesWithItsDraft() async throws {
    enum End: CaseIterable { case saved, discarded, ended, endedWithoutEdits }
    for end in End.allCases {
      try await leaveDraft()
      let header = try XCTUnwrap(rows(.header).first)
      var value = header.value
      value[value.count - 1] ^= 1
      try write(header.key, value)
      switch end {
      case .saved:
        let root = RootContext(test.store)
        let editor = try root.makeChild(draft: "editor")
        try editor.save("Save")
        try await root.save("Save")
      case .discarded: try RootContext(test.store).makeChild(draft: "editor").discard()
      case .ended: try test.store.drafts.discard("editor")
      case .endedWithoutEdits:
        for kind in [DraftRowKind.change, .undo, .redo] { for row in try rows(kind) { try write(row.key, nil) } }
        try test.store.drafts.discard("editor")
      }
      try await relaunch()
      XCTAssertEqual(try verify(), [], "\(end)")
      XCTAssertEqual(try test.store.drafts.all().map(\.id), [], "\(end)")
      XCTAssertEqual(try rows(.header).count, 0, "\(end)")
      await test.store.abandon()
    }
  }
}
