import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

/// What a power cut, or damage to the journal, leaves of drafts.
@MainActor
final class DraftLossTests: XCTestCase {
  func testADraftThatRestsOnSavesThatAreLostSaysSoAndCanBeSettled() async throws {
    let test = try TestStore()
    let before = test.path + "-before"
    defer { try? FileManager.default.removeItem(atPath: before) }
    var itemID: Item.ID?
    do {
      let root = test.store.mainContext
      itemID = root.insert(Item(name: "first")).id
      try await root.save("First")
      try FileManager.default.copyItem(atPath: test.path + "/data.mdb", toPath: before)
      try root.object(XCTUnwrap(itemID)).name = "lost"
      try await root.save("Lost")
      try root.object(XCTUnwrap(itemID)).name = "typed"
      try test.store.journal.flush()
    }
    await test.store.abandon()
    try FileManager.default.removeItem(atPath: test.path + "/data.mdb")
    try FileManager.default.moveItem(atPath: before, toPath: test.path + "/data.mdb")
    try test.open()
    let root = test.store.mainContext
    XCTAssertEqual(root.draftProblems, [JournalProblem.baseLost(draft: "main", base: 3, end: 2).description])
    let item = try root.object(XCTUnwrap(itemID))
    XCTAssertEqual(item.name, "typed")
    let conflict = try XCTUnwrap(root.conflicts().first)
    try root.resolve(conflict, with: conflict.mine)
    try await root.save("Typed")
    XCTAssertEqual(try RootContext(test.store).object(item.id).name, "typed")
    let isSound = try await StoreMaintenance.verify(test.store).isSound
    XCTAssertTrue(isSound)
  }

  func testASaveTakesTheDraftsOfChildrenWithItAlsoWhereAPowerCutTookTheNewsFromTheJournal() async throws {
    for rootHasDraft in [true, false] {
      let test = try TestStore()
      let journals = test.path + "/journals"
      let id: Item.ID
      do {
        let root = rootHasDraft ? test.store.mainContext : RootContext(test.store)
        let item = root.insert(Item(name: "saved"))
        id = item.id
        try await root.save()
        let editor = try root.makeChild(draft: "editor")
        let nested = try editor.makeChild(draft: "editor/nested")
        try editor.object(id).valueInDollars = 17
        try nested.object(id).name = "t17"
        try test.store.journal.flush()
        try FileManager.default.copyItem(atPath: journals, toPath: test.path + ".flushed")
        try nested.object(id).name = "t52"
        try nested.save("Nested")
        try editor.object(id).valueInDollars = 52
        try editor.save("Editor")
        try await root.save("All")
        try nested.object(id).name = "later"
        try test.store.journal.write()
      }
      await test.store.abandon()
      try FileManager.default.removeItem(atPath: journals)
      try FileManager.default.moveItem(atPath: test.path + ".flushed", toPath: journals)
      try test.open()
      let root = rootHasDraft ? test.store.mainContext : RootContext(test.store)
      let editor = try root.makeChild(draft: "editor")
      let nested = try editor.makeChild(draft: "editor/nested")
      for context in [root, editor, nested] {
        XCTAssertFalse(context.hasChanges)
        XCTAssertFalse(context.canUndo)
      }
      XCTAssertEqual(try nested.object(id).name, "t52", "older than what was saved")
      XCTAssertEqual(try nested.object(id).valueInDollars, 52, "older than what was saved")
    }
  }

  func testASaveOfAResumedDraftTakesTheDraftsOfChildrenThatWentIntoItInAnEarlierContext() async throws {
    for isKilled in [true, false] {
      let test = try TestStore()
      let id: Item.ID
      do {
        let root = try RootContext(test.store, draft: "root")
        let item = root.insert(Item(name: "saved"))
        id = item.id
        try await root.save()
        let editor = try root.makeChild(draft: "editor")
        let nested = try editor.makeChild(draft: "editor/nested")
        try nested.object(id).name = "t17"
        try test.store.journal.flush()
        try nested.object(id).name = "t52"
        try nested.save("Nested")
        try editor.save("Editor")
        try test.store.journal.write()
      }
      if isKilled { try await test.kill() }
      do {
        let root = try RootContext(test.store, draft: "root")
        XCTAssertEqual(try root.object(id).name, "t52")
        try await root.save("All")
      }
      try await test.cutPower()
      let root = try RootContext(test.store, draft: "root")
      let nested = try root.makeChild(draft: "editor").makeChild(draft: "editor/nested")
      XCTAssertFalse(nested.hasChanges, "killed: \(isKilled)")
      XCTAssertEqual(try nested.object(id).name, "t52", "older than what was saved; killed: \(isKilled)")
    }
  }

  func testADraftIsToldOfDamageInTheJournalThatItIsIn() async throws {
    let test = try TestStore()
    let id: Item.ID
    var start = 0
    do {
      let root = RootContext(test.store)
      let item = root.insert(Item(name: "saved"))
      id = item.id
      try await root.save()
      let editor = try root.makeChild(draft: "editor")
      try editor.object(id).valueInDollars = 1
      editor.endTyping()
      try test.store.journal.write()
      start = try test.onlyJournal().bytes.count
      try editor.object(id).name = "typed and lost"
      editor.endTyping()
      try test.store.journal.write()
      try editor.object(id).valueInDollars = 3
      try test.store.journal.flush()
    }
    await test.store.abandon()
    var (path, bytes) = try test.onlyJournal()
    bytes[start + 30] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try test.open()
    let editor = try RootContext(test.store).makeChild(draft: "editor")
    XCTAssertEqual(try editor.object(id).valueInDollars, 3)
    XCTAssertEqual(try editor.object(id).name, "saved")
    XCTAssertEqual(editor.draftProblems.count, 1, "\(editor.draftProblems)")
  }

  func testADraftWhoseHeaderIsDamagedIsTakenUpAndSaysWhatItLost() async throws {
    for edits in [2, 130] {
      let test = try TestStore()
      let id: Item.ID
      do {
        let root = RootContext(test.store)
        let item = root.insert(Item(name: "saved"))
        id = item.id
        try await root.save()
        let editor = try root.makeChild(draft: "editor")
        for number in 1...edits {
          try editor.object(id).valueInDollars = number
          editor.endTyping()
          try test.store.journal.write()
        }
        try test.store.journal.flush()
      }
      await test.store.abandon()
      // The frame in which the draft begins.
      let folder = test.path + "/journals/"
      let file = folder + (try XCTUnwrap(FileManager.default.contentsOfDirectory(atPath: folder).first))
      var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
      bytes[48 + 30] ^= 1
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
      try test.open()
      let editor = try test.store.mainContext.makeChild(draft: "editor")
      XCTAssertEqual(try editor.object(id).valueInDollars, edits)
      // The damage, and the header, which stands in more than one frame.
      XCTAssertEqual(editor.draftProblems.count, edits == 2 ? 2 : 1, "\(editor.draftProblems)")
    }
  }
}
