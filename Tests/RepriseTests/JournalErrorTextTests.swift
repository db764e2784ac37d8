import Reprise
import XCTest

final class JournalErrorTextTests: ErrorTextTestCase {
  private let misread =
    "the library looked for a value in its edits, and found something else. Open the store with the models that made "
    + "the draft"

  private let file = "a.journal"
  private let object = UniqueID(high: 1, low: 2)

  func testDraftErrors() throws {
    check(DraftError.invalidID(""), "'' cannot be a draft's ID. Use a text of 1 to 4,096 bytes.")
    check(
      DraftError.inUse("editor"),
      "The draft 'editor' is in use by another context, in this process or another one. End that context, or choose "
        + "another ID for this draft.")
    check(
      DraftError.present("editor"),
      "There is already a draft 'editor'. Resume or replace it (`ifPresent`), or choose another ID.")
    check(
      DraftError.parentWithoutDraft("editor"),
      """
      The draft 'editor' was not begun, because its parent is a child context without a draft. Give the parent a \
      draft, too.
      """)
    check(
      DraftError.unreadable("editor", reason: misread),
      """
      The draft 'editor' cannot be read, and the store keeps it: the library looked for a value in its edits, \
      and found something else. Open the store with the models that made the draft.
      """)
    check(DraftError.store(.closed(path: path)), "The store /data/notes.reprise was closed. Open it again.")
    try assertEveryCaseWasChecked(of: "DraftError")
  }

  func testJournalErrors() throws {
    let denied = String(cString: strerror(EACCES))
    check(
      JournalError.cannotList(path: path, errno: EACCES),
      """
      The journals in /data/notes.reprise cannot be listed (\(denied)). Check that this user may read the folder.
      """)
    check(
      JournalError.cannotCreate(path: path, errno: EACCES),
      """
      The journal /data/notes.reprise cannot be made (\(denied)). Edits wait in memory until it can. Allow this \
      user to write there.
      """)
    check(
      JournalError.cannotRead(path: path, errno: EACCES),
      """
      The journal /data/notes.reprise cannot be read (\(denied)), and is kept. Allow this user to read there. Then \
      open the store again.
      """)
    check(
      JournalError.cannotWrite(path: path, errno: EACCES),
      """
      The journal /data/notes.reprise cannot be written (\(denied)). Edits wait in memory until it can. Allow this \
      user to write there.
      """)
    let full = String(cString: strerror(ENOSPC))
    check(
      JournalError.cannotWrite(path: path, errno: ENOSPC),
      """
      The journal /data/notes.reprise cannot be written (\(full)). Edits wait in memory until it can. Free some space.
      """)
    let many = String(cString: strerror(EMFILE))
    check(
      JournalError.cannotCreate(path: path, errno: EMFILE),
      """
      The journal /data/notes.reprise cannot be made (\(many)). Edits wait in memory until it can. Close some files, \
      or raise their limit (`ulimit -n`).
      """)
    let failed = String(cString: strerror(EIO))
    check(
      JournalError.cannotWrite(path: path, errno: EIO),
      """
      The journal /data/notes.reprise cannot be written (\(failed)). Edits wait in memory until it can. Check the disk.
      """)
    check(
      JournalError.cannotFlush(path: path, errno: EACCES),
      """
      The journal /data/notes.reprise cannot be flushed (\(denied)), so a power cut may lose edits. Check the disk, \
      and save the drafts.
      """)
    check(
      JournalError.cannotRemove(path: path, errno: EACCES),
      """
      The journal /data/notes.reprise, whose content is in the store by now, cannot be removed (\(denied)). Allow this \
      user to write in its folder.
      """)
    check(
      JournalError.notInSchema(draft: "editor", entity: "Note"),
      """
      An edit in the draft 'editor' was not recorded, because the store does not know Note. Open the store with the \
      model Note.
      """)
    check(
      JournalError.tooLong(name: "editor", limit: 1_000),
      """
      A change of the draft or the screen 'editor' was not recorded, because it takes more than 1000 bytes. Keep large \
      data in files or blobs.
      """)
    check(
      JournalError.cannotClaim(path: path, errno: EACCES),
      """
      No draft or scene can be locked in /data/notes.reprise (\(denied)). Check that this user may open and lock the \
      store's files.
      """)
    check(
      JournalError.tables("a row is damaged"),
      """
      The store's tables of drafts and screens cannot be read: a row is damaged. Verify the store with \
      `StoreMaintenance.verify(_:)`.
      """)
    check(JournalError.closed, "The journal is closed. Open the store again.", named: "closed")
    try assertEveryCaseWasChecked(of: "JournalError")
  }

  func testJournalProblems() throws {
    checkFiles()
    checkDamage()
    checkDrafts()
    try assertEveryCaseWasChecked(of: "JournalProblem")
  }

  private func checkFiles() {
    check(
      JournalProblem.empty(file: file),
      """
      The journal a.journal is empty. If it had edits, they are lost. Check the drafts before you save them.
      """)
    check(
      JournalProblem.foreignLog(file: file, log: object),
      """
      The journal a.journal belongs to another store (log \(object)), and is kept. Move it to the folder 'journals' \
      of that store.
      """)
    check(
      JournalProblem.misnamed(file: file, journal: object),
      """
      The journal a.journal is a copy of the journal \(object), and is not read. If the folder lacks the journal \
      \(object), give the copy its name. Otherwise remove the copy.
      """)
    check(
      JournalProblem.newerFormat(file: file, version: 9),
      """
      The journal a.journal has format 9, which is newer than this library, and is kept. Open the store with a newer \
      version of the program.
      """)
    check(
      JournalProblem.prereleaseFormat(file: file),
      """
      The journal a.journal was written by a version of Reprise before 0.1, and is kept. Open the store with that \
      version, or remove the file.
      """)
    check(
      JournalProblem.notPrivate(file: file),
      """
      The journal a.journal is not read, and is kept: other users may write it, or it belongs to another user. If \
      you trust it, make this user its owner (chown), let no other user write it (chmod go-w), and open the store \
      again.
      """)
    check(
      JournalProblem.notPlain(file: file),
      """
      The journal a.journal is not read: it is a link, a folder or a device. Move it away. If it is a link to a \
      journal, put the journal itself in its place.
      """)
    check(
      JournalProblem.notPermitted(file: file),
      """
      The journal a.journal is not read: this user may not open it. If it belongs to another user of the store, \
      leave it. Otherwise make this user its owner (chown), let this user read and write it (chmod u+rw), and open \
      the store again.
      """)
    check(
      JournalProblem.unreadableFile(file: file, errno: EIO),
      """
      The journal a.journal cannot be read (\(String(cString: strerror(EIO)))), and is kept. Check the disk, and \
      open the store again.
      """)
    check(
      JournalProblem.screensLeftOut(scene: "main", file: file),
      """
      The journal a.journal has screens of the scene 'main', and is not read: other users may write it, or it belongs \
      to another user. The scene continues without these screens, and they do not come back later. Open them again in \
      the program.
      """)
  }

  private func checkDamage() {
    check(
      JournalProblem.damagedHeader(file: file),
      """
      The header of the journal a.journal is damaged, but its edits were read. After the next checkpoint, the file \
      stays in 'journals' with the suffix .damaged. Check its drafts before you save them.
      """)
    check(
      JournalProblem.damagedFrames(file: file, byteCount: 90, ranges: 2),
      """
      90 bytes in 2 places of the journal a.journal are damaged. The rest was read. After the next checkpoint, the \
      file stays in 'journals' with the suffix .damaged. Check its drafts before you save them.
      """)
    check(
      JournalProblem.cutShort(file: file, frames: 2),
      """
      The journal a.journal was cut short by a power cut, and 2 groups of later edits were left out. After the next \
      checkpoint, the file stays in 'journals' with the suffix .damaged. Make the last edits in its drafts again.
      """)
    check(
      JournalProblem.malformedEntry(file: file, frame: 3, reason: "expected a text at byte 4"),
      """
      An entry (an edit or the state of a screen) in group 3 of the journal a.journal cannot be read: expected a text \
      at byte 4. The entry was left out. Check its drafts before you save them.
      """)
    check(
      JournalProblem.damagedRow(table: "drafts", reason: "expected a text at byte 4"),
      """
      A row of the table drafts is damaged: expected a text at byte 4. Verify the store with \
      `StoreMaintenance.verify(_:)`.
      """)
    check(
      JournalProblem.rowsLost(draft: "editor", count: 2),
      """
      The draft 'editor' has lost 2 of its rows in the store, so changes or undo steps may be missing. Check the draft \
      before you save it.
      """)
    check(
      JournalProblem.strayRows(draft: "editor", count: 2),
      """
      The draft 'editor' has 2 rows in the store that its header does not count, so some changes may belong to another \
      draft. Check the draft before you save it.
      """)
    check(
      JournalProblem.headerMisplaced(draft: "editor"),
      """
      The header of the draft 'editor' is stored under the key of another draft. The draft still has its edits. \
      Check the draft before you save it.
      """)
    check(
      JournalProblem.headerMissing(hash: "0123"),
      """
      A draft has lost its header, and with it its ID. Only the hash of the ID is known: 0123. The draft still has \
      its edits. If you know the ID, resume the draft with `makeChild(draft:)` or `RootContext`.
      """)
    check(
      JournalProblem.sceneInfoMissing(scene: "main"),
      """
      The archive of the scene 'main' has lost the record of the scene itself, which lists the drafts of closed \
      screens. Look for these drafts in `store.drafts`.
      """)
    check(
      JournalProblem.screensMissing(scene: "main", count: 2),
      "The archive of the scene 'main' has lost 2 of its screens. Open these screens again.")
    check(
      JournalProblem.parentMissing(scene: "main", screen: "list/item", parent: "list"),
      """
      The archive of the scene 'main' has the screen 'list/item', but has lost the screen 'list' above it, so neither \
      can be restored. Open both screens again.
      """)
  }

  private func checkDrafts() {
    check(
      JournalProblem.headerLost(draft: "editor"),
      """
      The draft 'editor' has lost its header, which names the draft's parent and the transaction that its edits are \
      based on. The draft still has its edits. Check the draft before you save it.
      """)
    check(
      JournalProblem.baseLost(draft: "editor", base: 9, end: 7),
      """
      The draft 'editor' is based on transaction 9, and the log ends with transaction 7. A power cut destroyed the \
      later saves, or the store was restored from an older copy. If a lost transaction changed the schema, an edit may \
      be in the wrong property now. Check the draft before you save it.
      """)
    check(
      JournalProblem.baseReplaced(draft: "editor", base: 9),
      """
      The draft 'editor' is based on a transaction 9 that the log has lost. The store was restored from an older copy, \
      and then saved another transaction 9. The draft still has its edits. If a lost transaction changed the \
      schema, an edit may be in the wrong property now. Check the draft before you save it.
      """)
    check(
      JournalProblem.approximateText(draft: "editor", object: object),
      """
      In the draft 'editor', edits of a text of the object \(object) were lost, so later edits may be in the wrong \
      place. Check the draft before you save it.
      """)
    check(
      JournalProblem.textLost(draft: "editor", object: object),
      """
      In the draft 'editor', edits of a text of the object \(object) were left out, because the text that they change \
      was lost. Check the draft before you save it.
      """)
    check(
      JournalProblem.unreadableDraft(draft: "editor", reason: misread),
      """
      The draft 'editor' cannot be read, and the store keeps it: the library looked for a value in its edits, \
      and found something else. Open the store with the models that made the draft.
      """)
    check(
      JournalProblem.undoCutShort(
        draft: "editor", reason: "the library looked for a text in a step, and found something else"),
      """
      Undo or redo in the draft 'editor' cannot reach all of its steps: the library looked for a text in a step, and \
      found something else. The present state of the draft is complete. To return to the saved values, discard the \
      draft.
      """)
    check(
      JournalProblem.valueLeftOut(draft: "editor", object: object, property: "stars", value: "3"),
      """
      The draft 'editor' gives stars of \(object) the value 3, and no model has stars. The value is left out. A \
      program with that property finds the value until the draft is saved or discarded.
      """)
    check(
      JournalProblem.valueUnconverted(
        draft: "editor", object: object, property: "stars", value: "\"many\"", reason: "no number"),
      """
      The draft 'editor' gives stars of \(object) the value "many", which cannot be converted to the present type: no \
      number. The value is left out. Assign a value of the present type, then save or discard the draft.
      """)
    check(
      JournalProblem.objectLeftOut(draft: "editor", object: object, entity: "Note", values: " (stars 3)"),
      """
      The draft 'editor' changes Note \(object) (stars 3), and no model has Note. The change is left out. A program \
      with that model finds the change until the draft is saved or discarded.
      """)
    check(
      JournalProblem.objectMoved(
        draft: "editor", object: object, entity: "Animal", values: " (name: Tom)", target: "Bird"),
      """
      The draft 'editor' changes Animal \(object) (name: Tom), and a migration has moved this object to Bird. The \
      change is left out. Make the change again in Bird, then save or discard the draft.
      """)
    check(
      JournalProblem.targetMoved(
        draft: "editor", object: object, property: "Cage.animal", moved: object, target: "Bird"),
      """
      The draft 'editor' sets Cage.animal of \(object) to \(object), and a migration has moved \(object) to the entity \
      Bird. The value is left out. Assign the moved object or another one, then save or discard the draft.
      """)
    check(
      JournalProblem.moreLeftOut(draft: "editor", count: 2),
      """
      The draft 'editor' has 2 more values that its context leaves out. No model has their properties, or a migration \
      changed their types or moved their objects. To use the values, open the draft with a program that has these \
      properties. A save or a discard of the draft removes them.
      """)
  }
}
