import Reprise
import XCTest

final class StoreErrorTextTests: ErrorTextTestCase {
  func testStoreErrors() throws {
    checkFiles()
    checkModels()
    checkProcesses()
    try assertEveryCaseWasChecked(of: "StoreError")
  }

  private func checkFiles() {
    check(
      StoreError.notFound(path: path),
      "There is no /data/notes.reprise. Check the path. For a new store, create its parent folder first.")
    check(
      StoreError.notADirectory(path: path),
      "/data/notes.reprise is not a directory, but a store is a directory. Choose another path.")
    check(
      StoreError.permissionDenied(path: path),
      "This user may not read and write /data/notes.reprise. Change the owner or the mode of the directory "
        + "and its files.")
    check(
      StoreError.readOnly(path: path),
      """
      /data/notes.reprise cannot be written: its file system is read-only, or the program opened it to inspect it. \
      Move the store to another file system, or open it for editing.
      """)
    check(
      StoreError.notAStore(path: path, reason: "it has no log"),
      "/data/notes.reprise is not a Reprise store: it has no log. Check the path.")
    check(
      StoreError.newerFormat(path: path, found: 9, supported: 1),
      "/data/notes.reprise has format 9, and Reprise \(RepriseVersion.current) reads formats up to 1. Update Reprise.")
    check(
      StoreError.sharesLog(path: path),
      """
      /data/notes.reprise shares its log with other machines, so only a program that shares the log may change it. \
      Open the store with `Store.open(_:for:sharing:)`. A migration, an erasure and a rebuild of such a store are not \
      possible.
      """)
    check(
      StoreError.sharing(path: path, reason: DraftError.store(.closed(path: "/data"))),
      "/data/notes.reprise does not follow its shared log. The store /data was closed. Open it again.")
    check(
      StoreError.prereleaseFormat(path: path),
      """
      /data/notes.reprise was made by a version of Reprise before 0.1, and only that version can read it. Start with \
      a new store.
      """)
    check(
      StoreError.collationVersionMismatch(path: path, found: 9, supported: 1),
      """
      The indexes of /data/notes.reprise have version 9 of the sort order, and this library has version 1. Rebuild \
      the store with `StoreMaintenance.rebuild(_:)`, or open it with the version of the library that wrote it.
      """)
    check(
      StoreError.localeVersionMismatch(path: path, locale: "sv"),
      """
      The indexes of /data/notes.reprise in the order of 'sv' were sorted by a program with another version of ICU. \
      Close the store and open it again, which sorts the indexes again. Programs that have the store open at the same \
      time need the same version.
      """)
    check(
      StoreError.fileTruncated(path: path, expected: 8_192, found: 4_096),
      """
      /data/notes.reprise/data.mdb has 4096 bytes, but its pages need 8192. Restore it from a backup, or let \
      `StoreMaintenance.salvage(_:to:)` make a new store of the rest.
      """)
    check(
      StoreError.transactionsLost(path: path, last: 1, saved: 2),
      """
      The log of /data/notes.reprise ends with transaction 1, but the last saved transaction is 2. Do not write \
      to the store. Restore it from a backup, or let `StoreMaintenance.rebuild(_:acceptingLoss:)` restore the older \
      state that the log has.
      """)
    check(
      StoreError.truncated(path: path, position: 3, firstPosition: 7),
      """
      Transaction 3 is no longer in the log of /data/notes.reprise: `TransactionLog.retain` deleted all transactions \
      before 7. Use transaction 7 or a later one, or an older backup.
      """)
    check(
      StoreError.cancelled(path: path),
      """
      The task was cancelled while the library read the log of /data/notes.reprise for it. Nothing has changed. Read \
      again in another task.
      """)
    check(
      StoreError.otherLog(path: path, token: 9, head: 7),
      """
      The token names transaction 9, but the log of /data/notes.reprise ends with transaction 7. The store was \
      restored from an older backup, or the token is from another store. Read the present state, and continue with its \
      `headToken()`.
      """)
    check(
      StoreError.damaged(path: path, reason: "page 3 has no tree"),
      """
      /data/notes.reprise is damaged: page 3 has no tree. Rebuild the store from its log with \
      `StoreMaintenance.rebuild(_:)`. If that fails, restore a backup, or let `StoreMaintenance.salvage(_:to:)` make a \
      new store of the rest.
      """)
    check(
      StoreError.deleted(path: path, file: .lock),
      """
      /data/notes.reprise/lock.mdb was deleted or replaced while the store was open. Nothing was written. Close the \
      store in all processes, then open it again. Never delete or move lock.mdb while a process has the store open.
      """)
    check(
      StoreError.deleted(path: path, file: .data),
      """
      /data/notes.reprise/data.mdb was deleted or replaced while the store was open. Nothing was written. Copy the \
      data that you need before you close the store, then restore a backup.
      """)
    check(
      StoreError.replaced(path: path),
      """
      The content of /data/notes.reprise/data.mdb was replaced while the store was open. Nothing was written. Close \
      the store in all processes, then open it again. Restore a backup only while no process has the store open.
      """)
    check(
      StoreError.diskFull(path: path),
      """
      The disk of /data/notes.reprise is full, or a size limit of the process or the file system is reached. Nothing \
      was lost. Free some space or raise the limit, then try again.
      """)
    check(
      StoreError.system(path: path, operation: "setMapSize", code: 22, message: "Invalid argument"),
      """
      The operation 'setMapSize' failed on /data/notes.reprise: Invalid argument (error 22). Check the path and its \
      file system, which must support memory maps and file locks.
      """)
    check(
      StoreError.system(path: path, operation: "commit", code: 5, message: "Input/output error"),
      """
      The operation 'commit' failed on /data/notes.reprise: Input/output error (error 5). Check the disk, the free \
      memory and the limits of the process, then try again.
      """)
    check(
      StoreError.system(
        path: path, operation: "starting a thread", code: 0,
        message: "the process has too many threads. End some of them, or raise its limit"),
      """
      The operation 'starting a thread' failed on /data/notes.reprise: the process has too many threads. End some of \
      them, or raise its limit.
      """)
    check(
      StoreError.journal(path: path, reason: "The journal is closed. Open the store again."),
      """
      The journal of uncommitted edits and screens in /data/notes.reprise failed. The journal is closed. Open the \
      store again.
      """)
  }

  private func checkModels() {
    check(
      StoreError.schema(.emptyName(entity: "Note")),
      """
      The models do not fit together. The model 'Note' or one of its properties has an empty name. Name the model and \
      each property.
      """)
    check(
      StoreError.missingModels(["Note", "Memo"], given: ["Writer"]),
      """
      The store has objects of Note, Memo, but was opened without these models (given: Writer). Open it with these \
      models, too.
      """)
    check(
      StoreError.missingModels(["Note"], given: []),
      "The store has objects of Note, but was opened without these models. Open it with these models, too.")
    check(
      StoreError.incompatible(entity: "Note", property: "stars", stored: "String", model: "Int"),
      """
      Note.stars is stored as String, but the model declares Int. Let a migration convert the values \
      (`AttributeConversion`), or restore the old declaration.
      """)
    check(
      StoreError.incompatible(
        entity: "Note", property: "writer", stored: "a to-one relationship to Writer", model: "String"),
      """
      Note.writer is stored as a to-one relationship to Writer, but the model declares String. Give the new property \
      another name, or restore the old declaration.
      """)
    check(
      StoreError.notInModels([.property("stars", entity: "Note"), .entity("Memo")]),
      """
      The store has a property Note.stars that no model names. The store has an entity 'Memo' that no model names. \
      If something was renamed, declare its former name with `was:`. If it was left out on purpose, open the store \
      without `isStrict`.
      """)
    check(
      StoreError.possibleRenames([PossibleRename(entity: "Note", property: "points", formers: ["stars"])]),
      """
      Note.points is new to the store, and the store has Note.stars of the same type, which no model names. Without a \
      rename, existing objects would have a default value there. If it is the new name of 'stars', declare \
      @Attribute(was: "stars") or @Relationship(was: "stars"). Nothing was changed. If an old name is left out on \
      purpose, let a migration remove it, or open the store with `checksRenames: false`.
      """)
    check(
      StoreError.migration(.cancelled(path: path)),
      "The opening of /data/notes.reprise was cancelled. Open the store again. If a migration has begun, the opening "
        + "continues it with its next step.")
    check(
      StoreError.ambiguousRename(entity: "Note", property: "stars", was: ["points", "marks"]),
      """
      The store has Note.stars, and also has 'points' or 'marks', which the models declare as its former name. Remove \
      this former name from `was:`. To keep the old property, declare it under a third name, with its old name in \
      `was:`.
      """)
    check(
      StoreError.renamedByNewerProgram("stars", entity: "Note", now: "points"),
      """
      A newer program renamed Note.stars to 'points', and 'stars' is something else now. Update this program. If its \
      models have both, declare 'points' with `was: "stars"`.
      """)
    let violation = RuleViolation(object: note, properties: ["stars"], values: [.int(9)], rule: .range("0...5"))
    check(
      StoreError.violations([violation]),
      """
      Objects of the store break a rule that is new in the models: \(note) has stars 9, which is not in 0...5. The \
      store does not have the rule yet. Open it with models without the rule, then change or delete these objects.
      """)
    check(
      StoreError.unreadableValue(object: note, property: "stars", value: .int(600), type: AttributeType(Int8.self)),
      """
      \(note).stars holds 600. Its type in the model, Int8, cannot hold this value. Open the store with a model that \
      can hold it. Or call refresh(), then assign another value before you read this one.
      """)
  }

  private func checkProcesses() {
    check(
      StoreError.alreadyOpenWithOtherModels(path: path),
      """
      /data/notes.reprise is open in this process with other models than these. Use that store, or close it first.
      """)
    check(StoreError.inUse(path: path), "/data/notes.reprise is open in this process. Close that store first.")
    check(
      StoreError.inUseElsewhere(path: path),
      "/data/notes.reprise is open in another process. Close the store there first.")
    check(
      StoreError.sameProcessID(path: path, process: 1),
      """
      Another process with the process ID 1 has /data/notes.reprise open, probably in another container. Processes \
      that share a store need different IDs. Let the containers share one PID namespace (Kubernetes: \
      `shareProcessNamespace: true`; Docker: `--pid`), or open the store in one process only.
      """)
    check(
      StoreError.writerBusy(path: path, process: 4_710, thread: 4_711, seconds: 30),
      """
      Process 4710 (thread 4711) holds the write lock of /data/notes.reprise, and has shown no sign of life for 30 \
      s. It may be stopped. Let it continue (`kill -CONT 4710`) or end it, then try again.
      """)
    check(
      StoreError.writerBusy(path: path, process: nil, thread: 4_711, seconds: 30),
      """
      Another process (thread 4711) holds the write lock of /data/notes.reprise, and has shown no sign of life for \
      30 s. It may be stopped. Find its ID with `ps -eLo pid,tid,stat,cmd | grep -w 4711`, in its own container. Let \
      it continue (`kill -CONT`) or end it, then try again.
      """)
    check(
      StoreError.writerBusy(path: path, process: nil, thread: nil, seconds: 30),
      """
      Another process holds the write lock of /data/notes.reprise, and has shown no sign of life for 30 s. It may be \
      stopped. Find it with `fuser /data/notes.reprise/lock.mdb`. Let it continue (`kill -CONT`) or end it, then try \
      again.
      """)
    check(
      StoreError.forked(path: path),
      "The process was forked after it opened /data/notes.reprise. Open the store in the child process itself.")
    check(
      StoreError.tooManyReaders(path: path),
      "Too many readers have /data/notes.reprise open. Close some of the processes that use it.")
    check(
      StoreError.opening(path: path),
      "The store /data/notes.reprise is still being opened. Wait for its `ready()`, then try again.")
    check(StoreError.closed(path: path), "The store /data/notes.reprise was closed. Open it again.")
    check(
      StoreError.unusable(path: path, reason: "writing the commit failed"),
      """
      This process can no longer use the store /data/notes.reprise: writing the commit failed. Close the store, check \
      the disk, open the store again, then repeat the call.
      """)
  }

  func testMigrationErrors() throws {
    check(
      MigrationError.value(.string("x"), of: note, property: "stars", migration: "Stars", reason: "it is not a number"),
      """
      The migration 'Stars' cannot convert "x", the value of \(note).stars: it is not a number. Let the conversion's \
      closure return a new value for this one. Or change the object with the previous version of the program, if that \
      version can still open the store.
      """)
    check(
      MigrationError.typeMismatch(
        entity: "Note", property: "stars", stored: "String", expected: "Int", migration: "Stars"),
      """
      The migration 'Stars' converts Note.stars from Int, but the store has it as String. Give the \
      `AttributeConversion` the stored type (`from:`), or remove it from the migration.
      """)
    check(
      MigrationError.cannotMap("Note", migration: "Split", reason: "it is not in the store"),
      "The migration 'Split' cannot map Note: it is not in the store. Correct the migration or the models.")
    check(
      MigrationError.object(note, mapping: "Note to Memo", migration: "Split", reason: "it has no writer"),
      """
      The migration 'Split' cannot map \(note) (Note to Memo): it has no writer. Change the mapping's condition \
      (`where:`) or values (`setting:`) for this object. Or change the object with the previous version of the \
      program, if that version can still open the store.
      """)
    check(
      MigrationError.unknownName("Note.strs", migration: "Stars", candidates: ["Note.stars"]),
      """
      The migration 'Stars' names Note.strs, which is not a present or former name in the store or the models. The \
      store has Note.stars. Correct the name. If one of these was renamed to Note.strs, list the rename in the \
      migration (`renaming:`). If later versions of the program added Note.strs and removed it again, let the plan \
      remove everything that no model names.
      """)
    check(
      MigrationError.stillDeclared("Note.stars", migration: "Split"),
      "The migration 'Split' removes Note.stars, but the models declare Note.stars. Leave it out of the migration or "
        + "of the models.")
    check(
      MigrationError.versionsOutOfOrder([2, 1]),
      "The plan has migrations to the versions 2, 1. Give them ascending versions from 1 on, and give the plan an "
        + "`oldestVersion` that is not above the last one.")
    check(
      MigrationError.inProgress(path: path, process: 4_711),
      """
      /data/notes.reprise is being migrated by process 4711. Wait, then open the store again, or open it with a plan \
      that has `waitsForOthers: true`.
      """)
    check(
      MigrationError.inProgress(path: path, process: nil),
      """
      /data/notes.reprise is being migrated by another process. Wait, then open the store again, or open it with a \
      plan that has `waitsForOthers: true`.
      """)
    check(
      MigrationError.cancelled(path: path),
      "The opening of /data/notes.reprise was cancelled. Open the store again. If a migration has begun, the opening "
        + "continues it with its next step.")
    check(
      MigrationError.outdatedProgram(version: 1, oldest: 2, stored: 3),
      """
      The store was migrated to version 3, which needs programs of version 2 or later, and this one has version 1. \
      Update the program.
      """)
    check(
      MigrationError.unfinished(version: 3),
      """
      A migration of the store to version 3 has begun, and this program has no plan for it. Open the store with the \
      plan that has this migration.
      """)
    try assertEveryCaseWasChecked(of: "MigrationError")
  }

  func testSchemaWarnings() throws {
    check(
      SchemaWarning.entity("Memo"),
      """
      The store has an entity 'Memo' that no model names. If 'Memo' was renamed, declare its former name: \
      @Model(was: "Memo").
      """)
    check(
      SchemaWarning.property("stars", entity: "Note"),
      """
      The store has a property Note.stars that no model names. If Note.stars was renamed, declare its former name: \
      @Attribute(was: "stars") or @Relationship(was: "stars").
      """)
    check(
      SchemaWarning.index("[title]", entity: "Note"),
      """
      The store has an index [title] of Note that no model declares. Declare it, or let a migration remove it.
      """)
    try assertEveryCaseWasChecked(of: "SchemaWarning")
  }

  func testPossibleRenames() {
    check(
      PossibleRename(entity: "Note", property: "points", formers: ["stars", "marks"]),
      """
      Note.points is new to the store, and the store has Note.stars, Note.marks of the same type, which no model \
      names. Without a rename, existing objects would have a default value there. If it is the new name of 'stars', \
      declare @Attribute(was: "stars") or @Relationship(was: "stars").
      """)
    check(
      PossibleRename(entity: "Memo", property: nil, formers: ["Note"]),
      """
      Memo is new to the store, and the store has Note with similar attributes, which no model names. Without a \
      rename, Memo would begin without objects. If it is the new name of 'Note', declare @Model(was: "Note").
      """)
    check(
      PossibleRename(entity: "Memo", property: "text", formers: ["title"], source: "Note"),
      """
      Memo.text is new to the store, and the migration leaves Note.title behind. Without a rename, existing objects \
      would have a default value there. If it is the new name of 'title', declare @Attribute(was: "title") or \
      @Relationship(was: "title"), or list the rename in the migration (`renaming:`).
      """)
  }
}
