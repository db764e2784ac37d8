import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

@MainActor
final class DraftTests: XCTestCase {
  func testUncommittedEditsAtTwoLevelsComeBackAfterAKill() async throws {
    let test = try TestStore()
    var itemID: Item.ID?
    var bornID: Item.ID?
    do {
      let root = test.store.mainContext
      XCTAssertEqual(root.draftID, "main")
      let item = root.insert(Item(name: "chair"))
      itemID = item.id
      try await root.save("Add")
      let editor = try root.makeChild(draft: "editor")
      let draft = try editor.object(item.id)
      draft.name = "blue chair"
      let nested = try editor.makeChild(draft: "editor/nested")
      try nested.object(item.id).valueInDollars = 77
      bornID = nested.insert(Item(name: "born in the nested editor")).id
      try test.store.journal.flush()
    }
    try await test.kill()
    let root = test.store.mainContext
    let id = try XCTUnwrap(itemID)
    XCTAssertEqual(try root.object(id).name, "chair")
    XCTAssertEqual(test.store.drafts(ids: ()), ["editor", "editor/nested"])
    let editor = try root.makeChild(draft: "editor")
    XCTAssertEqual(try editor.object(id).name, "blue chair")
    XCTAssertEqual(try editor.object(id).valueInDollars, 0)
    let nested = try editor.makeChild(draft: "editor/nested")
    XCTAssertEqual(try nested.object(id).name, "blue chair")
    XCTAssertEqual(try nested.object(id).valueInDollars, 77)
    XCTAssertEqual(try nested.object(XCTUnwrap(bornID)).name, "born in the nested editor")
    nested.undo()
    XCTAssertNil(nested.find(try XCTUnwrap(bornID)))
    nested.redo()
    try nested.save("Nested")
    try editor.save("Editor")
    try await root.save("All")
    XCTAssertEqual(try RootContext(test.store).object(id).valueInDollars, 77)
    XCTAssertFalse(root.hasChanges, "\(root.overlay.changes)")
    try await test.kill()
    XCTAssertFalse(test.store.mainContext.hasChanges, "\(test.store.mainContext.overlay.changes)")
    XCTAssertFalse(try test.store.mainContext.makeChild(draft: "editor").hasChanges)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
  }

  func testAskingForADraftThatAnotherLivingProcessWroteWritesNothing() async throws {
    let test = try TestStore()
    let item = test.store.mainContext.insert(Item(name: "first"))
    try await test.store.mainContext.save("First")
    let other = try test.store.journalOfAnotherProcess()
    let edit = DraftEdit(
      object: item.id.any, change: .updated([PropertyChange(slot: 0, old: .string("first"), new: .string("typed"))]))
    other.append([
      .draftBegan(DraftHeader(id: "elsewhere", base: 2), generation: 1),
      .draftEdited(draft: "elsewhere", generation: 1, startsGroup: true, groupName: nil, edit),
    ])
    try other.write()
    let before = try [UInt8](Data(contentsOf: URL(fileURLWithPath: test.path + "/data.mdb")))
    XCTAssertTrue(test.store.drafts.hasEdits("elsewhere"))
    XCTAssertFalse(test.store.drafts.hasEdits("nowhere"))
    XCTAssertEqual(try [UInt8](Data(contentsOf: URL(fileURLWithPath: test.path + "/data.mdb"))), before)
    XCTAssertEqual(try test.store.drafts.image(of: .draft("elsewhere"))?.changes.count, 1)
    other.abandon()
  }

  /// The journal of a process that died may be with another one, until that has checkpointed it.
  func testAnArchiveThatNobodyHasIsReadFromTheJournalsOfOthers() throws {
    let test = try TestStore()
    let other = try test.store.journalOfAnotherProcess()
    other.append([.nodePut(scene: "window", key: "/a", bytes: [1])])
    try other.write()
    XCTAssertFalse(test.store.scenes.isClaimed(.scene("window")))
    XCTAssertEqual(try test.store.scenes.archive(of: .scene("window")).nodes.byKey, ["/a": [1]])
    other.abandon()
  }

  func testStepsOfARestoredDraftAreReadWhenUndoReachesThem() async throws {
    let test = try TestStore()
    var itemID: Item.ID?
    do {
      let root = test.store.mainContext
      let item = root.insert(Item(name: "0"))
      itemID = item.id
      try await root.save("Add")
      let editor = try root.makeChild(draft: "editor")
      let draft = try editor.object(item.id)
      for name in ["1", "2", "3"] { editor.group("Name \(name)") { draft.name = name } }
      editor.undo()
      try test.store.journal.flush()
    }
    let id = try XCTUnwrap(itemID)

    try await test.kill()
    var editor = try test.store.mainContext.makeChild(draft: "editor")
    XCTAssertTrue(editor.canUndo)
    XCTAssertTrue(editor.canRedo)
    XCTAssertEqual(editor.undoName, "Name 2")
    editor.redo()
    XCTAssertEqual(try editor.object(id).name, "3")
    XCTAssertEqual(editor.undoName, "Name 3")
    XCTAssertFalse(editor.canRedo)
    editor.undo()
    try test.store.journal.flush()

    // An edit forgets what could be redone, without a step of the restored ones having been read.
    try await test.kill()
    editor = try test.store.mainContext.makeChild(draft: "editor")
    try editor.object(id).name = "other"
    XCTAssertFalse(editor.canRedo)
    for name in ["2", "1", "0"] {
      editor.undo()
      XCTAssertEqual(try editor.object(id).name, name)
    }
    XCTAssertFalse(editor.canUndo)
    editor.undo()
    XCTAssertEqual(try editor.object(id).name, "0")
    for name in ["1", "2", "other"] {
      editor.redo()
      XCTAssertEqual(try editor.object(id).name, name)
    }
    XCTAssertFalse(editor.canRedo)

    // A conflict resolved makes one step of those that were never looked at, too.
    try test.store.journal.flush()
    try await test.kill()
    editor = try test.store.mainContext.makeChild(draft: "editor")
    editor.discard(try editor.object(id)._storage.id)
    XCTAssertEqual(try editor.object(id).name, "0")
    XCTAssertFalse(editor.canUndo)
  }

  func testSavedAndDiscardedDraftsDoNotComeBack() async throws {
    let test = try TestStore()
    var id: Item.ID?
    do {
      let root = try RootContext(test.store, draft: "root")
      let item = root.insert(Item(name: "one"))
      id = item.id
      try await root.save()
      let discarded = try root.makeChild(draft: "discarded")
      try discarded.object(item.id).name = "two"
      discarded.discard()
      let saved = try root.makeChild(draft: "saved")
      try saved.object(item.id).name = "three"
      try saved.save("Rename")
      try test.store.journal.flush()
    }
    try await test.kill()
    let root = try RootContext(test.store, draft: "root")
    XCTAssertEqual(try root.object(XCTUnwrap(id)).name, "three", "the root's own draft has what the child saved")
    XCTAssertEqual(root.undoName, "Rename")
    XCTAssertFalse(try root.makeChild(draft: "discarded").hasChanges)
    XCTAssertFalse(try root.makeChild(draft: "saved").hasChanges)
  }

  @MainActor func testAFinishedDraftIsNoLongerListed() async throws {
    let test = try TestStore()
    let root = try RootContext(test.store, draft: "root")
    let item = root.insert(Item(name: "one"))
    XCTAssertEqual(try test.store.drafts.all().map(\.id), ["root"])
    try await root.save()
    XCTAssertEqual(try test.store.drafts.all().map(\.id), [])
    var children: [ChildContext] = []
    for number in 0..<40 {
      let child = try root.makeChild(draft: "child \(number)")
      try child.object(item.id).name = "\(number)"
      XCTAssertEqual(Set(try test.store.drafts.all().map(\.id)).subtracting(["root"]), ["child \(number)"])
      if number % 2 == 0 { try child.save() } else { root.discard(); child.discard() }
      children.append(child)
    }
    XCTAssertEqual(try test.store.drafts.all().map(\.id), [])
    // Each can begin again, also with edits that are typed while a save waits, and after a checkpoint.
    for round in 0..<3 {
      try children[0].object(item.id).name = "again \(round)"
      let goOn = test.store.holdWriter()
      item.valueInDollars = 7 + round
      let saving = Task { try await root.save() }
      while !root.isSaving { await Task.yield() }
      item.weight = Double(round)
      goOn()
      _ = try await saving.value
      try await test.store.journals.checkpoint()
      XCTAssertEqual(try test.store.drafts.all().map(\.id), ["child 0", "root"])
      XCTAssertEqual(try test.store.drafts.all().map(\.objects), [[item.id.any], [item.id.any]])
      children[0].discard()
      root.discard()
      try await test.store.journals.checkpoint()
      XCTAssertEqual(try test.store.drafts.all().map(\.id), [])
    }
    item.name = "kept"
    try test.store.journal.flush()
    try await test.kill()
    XCTAssertEqual(try test.store.drafts.all().map(\.id), ["root"])
    let again = try RootContext(test.store, draft: "root")
    XCTAssertEqual(again.draftProblems, [])
    XCTAssertEqual(try again.object(item.id).name, "kept")
    XCTAssertNoThrow(try again.makeChild(draft: "child 1", ifPresent: .fail), "a finished draft is not there")
  }

  func testAKillAfterTheSaveLeavesNoDraft() async throws {
    let test = try TestStore()
    let item: Item.ID
    do {
      let root = try RootContext(test.store, draft: "root")
      let made = root.insert(Item(name: "one"))
      item = made.id
      try test.store.journal.flush()
      // The journal does not hear of the save.
      let overlay = root.overlay.changes.map { ($0.key, $0.value) }
      let frozen = FrozenDraft(.draft("root"), generation: 1 << 40)
      _ = await test.store.save(SaveRequest(base: test.store.log.head, changes: overlay, drafts: [frozen]))
    }
    for isCheckpointed in [false, true] {
      try await test.kill()
      if isCheckpointed { try await test.store.journals.checkpoint(onlyHeld: true) }
      XCTAssertEqual(try test.store.drafts.all().map(\.id), [])
      let root = try RootContext(test.store, draft: "root", ifPresent: .fail)
      XCTAssertFalse(root.hasChanges)
      try root.object(item).name = "two"
      try test.store.journal.flush()
      try await test.kill()
      let again = try RootContext(test.store, draft: "root")
      XCTAssertEqual(try again.object(item).name, "two", "new edits were taken for saved ones")
      XCTAssertEqual(again.draftProblems, [])
      again.discard()
      try test.store.journal.flush()
    }
  }

  func testADraftThatWentThroughARootWithoutOneIsNotBackAfterAKill() async throws {
    let test = try TestStore()
    do {
      let root = RootContext(test.store)
      let child = try root.makeChild(draft: "child")
      child.insert(Item(name: "one"))
      try test.store.journal.write()
      try child.save()
      try await root.save()
    }
    try await test.kill()
    let child = try RootContext(test.store).makeChild(draft: "child")
    XCTAssertFalse(child.hasChanges, "it is in the log, and would be inserted twice")
  }

  /// A power cut takes what the journal had not flushed; a commit is on the disk.
  func testARefusedSaveKeepsTheDraftsThatWentIntoIt() async throws {
    let test = try TestStore()
    let journals = test.path + "/journals"
    let id: Item.ID
    do {
      let root = test.store.mainContext
      root.followsHead = false
      let item = root.insert(Item(name: "saved"))
      id = item.id
      try await root.save()
      let other = RootContext(test.store)
      try other.object(id).name = "theirs"
      try await other.save()
      let editor = try root.makeChild(draft: "editor")
      try editor.object(id).name = "mine"
      try test.store.journal.flush()
      try FileManager.default.copyItem(atPath: journals, toPath: test.path + ".flushed")
      try editor.save()
      do {
        try await root.save()
        XCTFail("a conflict")
      } catch SaveError.refused(let refusal) {
        try root.resolve(refusal.conflicts[0], with: .string("mine"))
      }
      try await root.save()
    }
    await test.store.abandon()
    try FileManager.default.removeItem(atPath: journals)
    try FileManager.default.moveItem(atPath: test.path + ".flushed", toPath: journals)
    try test.open()
    let editor = try test.store.mainContext.makeChild(draft: "editor")
    XCTAssertFalse(editor.hasChanges, "the second save took it")
    XCTAssertEqual(try editor.object(id).name, "mine")
  }

  func testAChildIsMissedAmongReleasedOnes() async throws {
    let test = try TestStore()
    let context = test.store.mainContext
    var live: [ChildContext] = []
    for number in 0..<100 {
      let child = try context.makeChild(draft: "\(number)")
      if number % 3 == 0 { live.append(child) }
    }
    for (place, child) in live.enumerated() {
      XCTAssertTrue(try context.makeChild(draft: "\(place * 3)") === child)
    }
    XCTAssertEqual(context.liveChildren.count, live.count)
    live = []
    XCTAssertNil(context.liveChild(withDraft: "0"))
    XCTAssertEqual(try context.makeChild(draft: "0").draftID, "0")
  }

  func testAMainContextWithoutADraftSaysSoAndItsChildrensDraftsAreFoundUnderOneThatHasIt() async throws {
    let test = try TestStore()
    let id: Item.ID
    do {
      let other: AnyObject? = try test.store.claimAsAnotherProcess("main")
      defer { withExtendedLifetime(other) {} }
      let root = test.store.mainContext
      XCTAssertNil(root.draftID)
      guard case .inUse("main")? = root.draftFailure else { return XCTFail("\(root.draftFailure as Any)") }
      let item = root.insert(Item(name: "saved"))
      id = item.id
      try await root.save()
      XCTAssertThrowsError(try RootContext(test.store, draft: "main"))
      let editor = try root.makeChild(draft: "editor")
      try editor.object(id).name = "typed"
      try test.store.journal.write()
    }
    try await test.kill()
    let root = test.store.mainContext
    XCTAssertEqual(root.draftID, "main")
    XCTAssertNil(root.draftFailure?.description)
    let editor = try root.makeChild(draft: "editor")
    XCTAssertEqual(try editor.object(id).name, "typed")
    try test.store.journal.write()

    // And the other way round; the drafts of children of children as well.
    let nested = try editor.makeChild(draft: "nested")
    try nested.object(id).name = "deeper"
    try test.store.journal.write()
    try await test.kill()
    let fresh = RootContext(test.store)
    XCTAssertEqual(try fresh.makeChild(draft: "nested").object(id).name, "deeper")
    XCTAssertEqual(try fresh.makeChild(draft: "editor").object(id).name, "typed")
  }

  func testAChangeThatWasTakenBackIsNotTheBaseOfTheNextOne() async throws {
    let test = try TestStore()
    let id: Item.ID
    do {
      let root = try RootContext(test.store, draft: "root")
      let item = root.insert(Item(name: "one"))
      let deleted = root.insert(Item(name: "one"))
      id = item.id
      let child = try root.makeChild(draft: "child")
      for item in [item, deleted] {
        let same = try child.object(item.id)
        same.name = "two"
        same.name = "one"
        item.name = "three"
        XCTAssertEqual(same.name, "three", "nothing is left of the change")
      }
      try child.object(item.id).name = "four"
      child.delete(try child.object(deleted.id))
      XCTAssertEqual(try child.conflicts(), [])
      try test.store.journal.write()
    }
    try await test.kill()
    let root = try RootContext(test.store, draft: "root")
    let child = try root.makeChild(draft: "child")
    XCTAssertEqual(try child.object(id).name, "four")
    XCTAssertEqual(try child.conflicts(), [], "the edit began from what the parent has")
  }

  func testACleanCloseFoldsTheJournalAndKeepsTheDraft() async throws {
    let test = try TestStore()
    var id: Item.ID?
    do {
      let root = try RootContext(test.store, draft: "root")
      let item = root.insert(Item(name: "one"))
      id = item.id
      try await root.save()
      item.name = "two"
    }
    try await test.store.close()
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: test.path + "/journals"), [])
    try test.open()
    let root = try RootContext(test.store, draft: "root")
    XCTAssertEqual(try root.object(XCTUnwrap(id)).name, "two")
    XCTAssertTrue(root.hasChanges)
  }

  func testADraftIsFoundHoweverItsIDIsSpelt() async throws {
    let test = try TestStore()
    let (composed, decomposed) = ("\u{E9}dit", "e\u{301}dit")
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "one"))
    try await context.save()
    try context.makeChild(draft: composed).object(item.id).name = "two"
    for (id, number) in [(decomposed, 5), (composed, 6)] {
      try await test.store.close()
      try test.open()
      let child = try RootContext(test.store).makeChild(draft: id)
      XCTAssertEqual(try child.object(item.id).name, "two")
      XCTAssertEqual(try child.object(item.id).valueInDollars, number == 5 ? 0 : 5)
      try child.object(item.id).valueInDollars = number
    }
    try await test.kill()
    XCTAssertEqual(test.store.drafts(ids: ()), [composed])
    try test.store.drafts.discard(decomposed)
    XCTAssertEqual(test.store.drafts(ids: ()), [])
  }

  func testADraftThatIsLiveIsNotGivenOutTwice() async throws {
    let test = try TestStore()
    let root = try RootContext(test.store, draft: "root")
    XCTAssertThrowsError(try RootContext(test.store, draft: "root"))
    let child = try root.makeChild(draft: "child")
    XCTAssertTrue(child === (try root.makeChild(draft: "child")))
    XCTAssertThrowsError(try root.makeChild(draft: "child", ifPresent: .fail))
    let plain = root.makeChild()
    XCTAssertThrowsError(try plain.makeChild(draft: "below"))
  }

  // MARK: Turns

  /// What screens show of it is written at the end of the turn: both or neither must be there after a kill.
  func testWhateverATurnDoesToADraftIsNotWrittenBeforeItsEnd() async throws {
    let test = try TestStore()
    let root = test.store.mainContext
    let item = root.insert(Item(name: "chair"))
    try await root.save("Add")
    let editor = try root.makeChild(draft: "editor")
    let edited = try editor.object(item.id)
    let other = RootContext(test.store, isolation: nil)
    let turns: [(String, () async throws -> Void)] = [
      ("type", { edited.name = "blue chair" }),
      ("undo", { editor.undo() }),
      ("redo", { editor.redo() }),
      (
        "a group that throws",
        {
          try? editor.group(nil) {
            edited.name = "red chair"
            throw CancellationError()
          }
        }
      ),
      ("save into the parent", { try editor.save("Blue") }),
      ("undo in the parent", { root.undo() }),
      ("discard what was undone", { root.discard() }),
      ("type again", { edited.name = "green chair" }),
      ("discard", { editor.discard() }),
    ]
    for (what, turn) in turns {
      try await turn()
      try test.store.journal.write(cutsTurns: false)
      XCTAssertFalse(test.store.journal.isWritten, what)
      while test.store.journal.isTurnOpen { await Task.yield() }
      try test.store.journal.write(cutsTurns: false)
      XCTAssertTrue(test.store.journal.isWritten, what)
    }
    edited.name = "black chair"
    try other.refresh()
    try other.object(item.id).name = "white chair"
    try await other.save("White")
    try root.refresh()
    while test.store.journal.isTurnOpen { await Task.yield() }
    try test.store.journal.write(cutsTurns: false)
    let conflict = try XCTUnwrap(editor.conflicts().first)
    try editor.resolve(conflict, with: conflict.theirs)
    try test.store.journal.write(cutsTurns: false)
    XCTAssertFalse(test.store.journal.isWritten, "resolve")
  }
}
