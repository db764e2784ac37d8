import Reprise
import XCTest

@testable import RepriseEventStore
@testable import RepriseLists
@testable import RepriseLog
@testable import RepriseObjectGraph
@testable import RepriseRestoration

/// The texts of reports, in full.
final class ReportTextTests: ErrorTextTestCase {
  private let object = UniqueID(high: 1, low: 2)
  private let blob = Blob(byteCount: 5, words: (1 << 60, 0, 0, 0))
  private let digest = Digest(words: (1, 2, 3, 4))
  private let taken = RuleViolation(
    object: AnyObjectID(EntityName("Note"), UniqueID(high: 1, low: 2)), properties: ["stars"], values: [.int(7)],
    rule: .maximum(5))

  func testFindings() throws {
    checkLog()
    checkMetadata()
    checkTables()
    checkObjects()
    checkIndexes()
    checkBlobs()
    checkProjections()
    checkLosses()
    try assertEveryCaseWasChecked(of: "StoreFinding")
  }

  private func check(finding: StoreFinding, named name: String? = nil, _ text: String, line: UInt = #line) {
    check(finding, text, named: name, line: line)
  }

  private func checkLog() {
    check(finding: .transaction(5, reason: "it is gone"), "Transaction 5 cannot be read: it is gone.")
    check(finding: .missingTransactions(5...5), "Transaction 5 is missing.")
    check(finding: .missingTransactions(5...7), "The transactions 5 to 7 are missing.")
    check(
      finding: .otherPredecessor(5),
      "The hash of transaction 5 does not match its content and the hash of the transaction before it.")
    check(
      finding: .otherLog(object, opened: .zero),
      """
      The ID of the log is \(object), but was \(UniqueID.zero) when the store was opened, so the file was replaced \
      meanwhile. Close the store in all processes, open it again, and verify it again.
      """)
    check(finding: .identity(reason: "a bit flipped"), "The format or the ID of the log cannot be read: a bit flipped.")
    check(
      finding: .recordedBeginning(reason: "a bit flipped"),
      "The entry that records where the log begins cannot be read: a bit flipped.")
    check(
      finding: .recordedEnd(reason: "a bit flipped"),
      "The entry that records where the log ends cannot be read: a bit flipped.")
    check(finding: .end(reason: "a bit flipped"), "The last transaction of the log cannot be found: a bit flipped.")
    check(
      finding: .unsavedTransactions(last: 9, saved: 7),
      "The log goes on to transaction 9, but the store recorded transaction 7 as the last one.")
    check(
      finding: .lostTransactions(last: 7, saved: 9),
      "The log ends with transaction 7, but the store recorded transaction 9 as the last one.")
    check(
      finding: .otherLastTransaction(9),
      "Transaction 9, the last of the log, does not have the hash that the store recorded when it saved the "
        + "transaction.")
    check(
      finding: .keptOfOtherLog(object),
      """
      The hash that you passed is of another log, \(object). Verify the store against a hash of this store.
      """)
    check(
      finding: .keptOther(5),
      """
      Transaction 5 does not have the hash that you passed. The log was changed or replaced since then, for example by \
      an older backup. Compare the store with your last backup.
      """)
    check(
      finding: .keptBeforeBeginning(5, first: 7),
      """
      The hash that you passed is of transaction 5, and the log begins with transaction 7, so the hash can no longer \
      be compared. Keep the hash of a later transaction.
      """)
    check(
      finding: .keptAfterEnd(9, last: 7),
      """
      The hash that you passed is of transaction 9, and the log ends with transaction 7. Compare the store with your \
      last backup.
      """)
  }

  private func checkMetadata() {
    check(finding: .unreadableSchema(reason: "a bit flipped"), "The stored schema cannot be read: a bit flipped.")
    check(finding: .otherSchema, named: "otherSchema", "The stored schema differs from the schema in the log.")
    check(
      finding: .otherReplica(object, log: .zero),
      "The ID of this copy of the log is \(object) in the table 'meta', and \(UniqueID.zero) in the log.")
    check(
      finding: .otherReplica(nil, log: nil),
      "The ID of this copy of the log is missing in the table 'meta', and missing in the log.")
    check(
      finding: .nameCount(log: 3, stored: 2),
      "The log has 3 names of authors, contexts and transactions, and the count that the store recorded is 2.")
    check(
      finding: .nameCount(log: 3, stored: nil),
      "The log has 3 names of authors, contexts and transactions, and the count that the store recorded is missing.")
    check(
      finding: .droppedNames(first: 7),
      """
      The names of authors, contexts and transactions before transaction 7 do not match the checksum that the store \
      recorded for them.
      """)
    check(
      finding: .name("Ada", number: 3),
      "In the log, the name 'Ada' of an author, a context or a transaction has the number 3, which the store's list of "
        + "names lacks.")
    check(
      finding: .clock([3, 5]),
      "According to the log, the clock was set back at the transactions [3, 5], but the store recorded other "
        + "transactions.")
    check(
      finding: .greatestID, named: "greatestID",
      "The log has a UUID that is greater than the greatest UUID that the store recorded.")
    check(
      finding: .sortOrder, named: "sortOrder",
      "The indexes have a sort order that this version of the library does not have.")
    check(
      finding: .localeOrder("de"), "The indexes in the order of 'de' were sorted with another version of ICU.")
    check(
      finding: .strayMigration, named: "strayMigration",
      "The store has the state of a running migration, but the log has no such migration.")
    check(finding: .unreadEntry("the entry 0x67"), "The store has the entry 0x67, which nothing reads.")
  }

  private func checkTables() {
    check(
      finding: .table("log", reason: "a bit flipped"), "The table 'log' is damaged: a bit flipped.")
    check(
      finding: .row(table: "log", problem: "a chunk without bytes", key: [1, 2]),
      "The table 'log' has a chunk without bytes (key 0102).")
    check(
      finding: .longRow(table: "log", byteCount: 3_000, limit: 1_960),
      "The table 'log' has a row of 3000 bytes, but a row may have at most 1960 bytes.")
    check(finding: .unreadableKey(table: "objects"), "The table 'objects' has a row with an unreadable key.")
  }

  private func checkObjects() {
    check(
      finding: .event(5, object: object, reason: "it does not exist"),
      "Transaction 5 cannot be applied to the object \(object): it does not exist.")
    check(
      finding: .value(5, object: object, problem: "a value in Note.folder that is not a reference"),
      "Transaction 5 gives the object \(object) a value in Note.folder that is not a reference.")
    check(
      finding: .versions(object: object, before: 7, reason: "it does not exist"),
      "The state of the object \(object) before transaction 7 contradicts the log: it does not exist.")
    check(
      finding: .keyframe(5, object: object),
      "The copy of the object \(object) that transaction 5 contains differs from the result of the object's events.")
    check(finding: .record(object, reason: "a bit flipped"), "The stored object \(object) is damaged: a bit flipped.")
    check(
      finding: .otherRecord(object), "The stored object \(object) differs from the result of its events in the log.")
    check(
      finding: .recordNotInLog(object),
      "The store has the object \(object), but no transaction of the log does.")
    check(finding: .missingRecord(object), "The log has the object \(object), but the table 'objects' does not.")
    check(
      finding: .truncatedObjects(before: 7),
      "When `retain` deleted the log before transaction 7, it recorded a checksum of all objects at that point. The "
        + "stored objects, with all later changes reverted, do not match this checksum.")
    check(
      finding: .count(entity: "Note", objects: 1, recorded: 2),
      "Note has 1 object, and the count that the store recorded is 2.")
    check(
      finding: .unreadableCount(entity: "Note", objects: 2, reason: "a bit flipped"),
      "Note has 2 objects, and the count that the store recorded cannot be read: a bit flipped.")
    check(
      finding: .longValue(object: object, property: 3),
      "The value of the property with the number 3 of the object \(object) does not match its checksum.")
    check(
      finding: .longValueRows(table: "texts", rows: 53, used: 52),
      "The table 'texts' has 53 rows, and 52 of them belong to objects.")
  }

  private func checkIndexes() {
    check(
      finding: .index("Note.title", reason: "a bit flipped"),
      "The index over Note.title is damaged: a bit flipped.")
    check(
      finding: .missingIndexRow(index: "Note.title", object: object),
      "The index over Note.title lacks a row for \(object).")
    check(
      finding: .indexRows(index: "Note.title", rows: 2, expected: 3),
      "The index over Note.title has 2 rows instead of 3.")
    check(
      finding: .history("Note.title", reason: "a bit flipped"),
      "The history of the index over Note.title is damaged: a bit flipped.")
    check(finding: .brokenRule(taken), "A rule is broken: \(note) has 7 in stars, and may have at most 5.")
    check(
      finding: .strayIndex(4),
      "The table 'indexes' has rows of an index with the number 4, which the schema does not have.")
    check(
      finding: .strayLevel(index: 4, level: 2),
      "The index with the number 4 has nodes on level 2 of its tree, but a tree of its size does not have this level.")
  }

  private func checkBlobs() {
    check(
      finding: .blob(blob, reason: "a bit flipped"), "The blob of 5 bytes (10000000…) is damaged: a bit flipped.")
    check(
      finding: .blobRow(digest, reason: "a bit flipped"),
      "The row of the blob with the SHA-256 \(digest) is damaged: a bit flipped.")
    check(
      finding: .chunksAfterEnd(blob, chunks: 1), "The blob of 5 bytes (10000000…) has 1 chunk after its end.")
    check(
      finding: .missingBlob(blob),
      "The log refers to the blob of 5 bytes (10000000…), which the store does not have.")
    check(
      finding: .missingUnusedBlob(digest),
      "The blob with the SHA-256 \(digest) is marked as unused, but the store does not have it.")
    check(
      finding: .strayChunks(upload: object),
      "The store has blob bytes from the upload \(object) that belong to no blob.")
  }

  private func checkProjections() {
    check(
      finding: .sharedProjectionNumber, named: "sharedProjectionNumber",
      "Two projections have the same number in the table 'projections'.")
    check(
      finding: .strayProjectionRows(number: 4),
      "The table 'projections' has rows with the number 4, which is the number of no projection.")
    check(
      finding: .projectionAhead(name: "tags", 9, last: 7),
      "The projection 'tags' has processed transaction 9, but the log ends with transaction 7.")
    check(
      finding: .projectionKeys(name: "tags", rows: 2), "The projection 'tags' has 2 rows with unreadable keys.")
    check(
      finding: .otherProjectionRows(name: "tags", wrong: 2, missing: 1),
      "The projection 'tags' has 2 rows that did not come from the log, and lacks 1 row.")
    let headOnly = ProjectionError.headOnly(name: "tags")
    check(finding: .failedProjection(headOnly), headOnly.description)
    let lost = JournalProblem.headerLost(draft: "editor")
    check(finding: .journal(lost), lost.description)
  }

  private func checkLosses() {
    check(
      finding: .cutFile(byteCount: 4_096, expected: 8_192),
      """
      The file was cut: it has 4096 bytes, and the last save needs 8192. The new store may lack the last saves.
      """)
    check(
      finding: .damagedMetaPage, named: "damagedMetaPage",
      """
      One of the two meta pages is damaged. If the last save wrote this page, drafts and screens are from before that \
      save. The new store may contain a save that did not finish.
      """)
    check(
      finding: .unlistedJournals(.tables("a row is damaged")),
      "No journal was copied, so the new store lacks the unsaved edits in them. "
        + "\(JournalError.tables("a row is damaged"))")
    check(finding: .unreadJournal(.tables("a row is damaged")), "\(JournalError.tables("a row is damaged"))")
    check(
      finding: .refusedJournal("a.journal"),
      """
      The journal a.journal was not copied: other users may write it, it belongs to another user, or it is not a \
      plain file. If you trust it, make this user its owner (chown), let no other user write it (chmod go-w), and \
      salvage again.
      """)
    check(
      finding: .damagedJournal(object),
      "The journal \(object), a file of uncommitted edits, was not copied, because its header is damaged.")
    check(
      finding: .damagedRows(1), "1 row of drafts and screens is damaged, and not in the new store.")
    check(
      finding: .damagedRows(2), "2 rows of drafts and screens are damaged, and not in the new store.")
    check(
      finding: .orphanedScreens(1),
      "1 screen of the old store is not in the new store, because a parent screen is lost.")
    check(
      finding: .orphanedScreens(2),
      "2 screens of the old store are not in the new store, because a parent screen is lost.")
    check(
      finding: .lostBlob(blob), "The blob of 5 bytes (10000000…) is lost, because bytes of it are missing.")
    check(
      finding: .lostValue(object: object, property: 3),
      "The value of the property with the number 3 of the object \(object) is lost, because parts of it are missing.")
    check(
      finding: .lostChange(5, object: object),
      "The change of the object \(object) by transaction 5 is lost, because earlier changes are missing.")
    check(
      finding: .lostSchema(objects: 1, values: 3),
      """
      Changes of the schema are lost. The new store lacks 1 object and 3 values, because the names of their entities \
      and properties are lost.
      """)
    check(
      finding: .leftOut(7...9), named: "leftOut",
      "The new log begins after transaction 9, because transactions up to this one change an object that is lost.")
    check(
      finding: .lostSchemaChanges, named: "lostSchemaChanges",
      "Changes of the schema may be lost. The content of the new store does not need them.")
    check(
      finding: .removedRule(taken),
      "The new store lacks a rule that an object breaks: \(note) has 7 in stars, and may have at most 5.")
  }

  // MARK: Reports

  func testVerificationReport() {
    let sound = VerificationReport(
      transactions: 2, events: 3, objects: 1, indexRows: 4, blobs: 0, problems: [], steps: [])
    check(sound, "Sound: 2 transactions, 3 events, 1 object, 4 index rows.")
    let damaged = VerificationReport(
      transactions: 2, events: 3, objects: 1, indexRows: 4, blobs: 1, problems: ["The keyframe is wrong."],
      steps: [.rebuild])
    check(
      damaged,
      """
      1 problem in 2 transactions, 3 events, 1 object, 4 index rows, 1 blob:
      The keyframe is wrong.
      Rebuild the store from its log with `StoreMaintenance.rebuild(_:)`, and verify it again. No saved value is lost.
      """)
    let old = VerificationReport(
      transactions: 2, events: 3, objects: 1, indexRows: 4, blobs: 0, problems: ["Keep a later hash."],
      steps: [.named]
    )
    check(
      old,
      """
      1 problem in 2 transactions, 3 events, 1 object, 4 index rows:
      Keep a later hash.
      """)
  }

  func testVerificationReportNamesTheNextStep() {
    func advice(_ steps: Set<RepairStep>) -> String {
      VerificationReport(
        transactions: 1, events: 1, objects: 1, indexRows: 1, blobs: 0, problems: ["It is wrong."], steps: steps
      ).description.split(separator: "\n").dropFirst(2).joined(separator: "\n")
    }
    XCTAssertEqual(
      advice([.backup, .salvage, .rebuild]),
      "Restore a backup. Or let `StoreMaintenance.salvage(_:to:)` make a new store of the content that can be read.")
    XCTAssertEqual(
      advice([.salvage, .rebuild, .change]),
      """
      Let `StoreMaintenance.salvage(_:to:)` make a new store. It has all saved values, and lacks damaged drafts and \
      screens.
      Change each object that breaks a rule, and save it.
      """)
  }

  func testCheckReport() {
    let damaged = CheckReport(
      pages: 12, freePages: 3, pageSize: 4_096,
      problems: [
        .init(kind: .tree, page: 7, table: "log", reason: "its header has the page number 8"),
        .init(kind: .table, page: nil, table: "journals", reason: "it is missing"),
      ])
    check(
      damaged,
      """
      2 problems in 12 pages of 4096 bytes, 3 of them free:
      page 7, table 'log': its header has the page number 8.
      table 'journals': it is missing.
      Do not open the store. Restore a backup, or let `StoreMaintenance.salvage(_:to:)` make a new store of the rest.
      """)
    let unread = CheckReport(
      pages: 0, freePages: 0, pageSize: 0,
      problems: [.init(kind: .tree, page: 1, table: nil, reason: "it is not a meta page")])
    check(
      unread,
      """
      1 problem:
      page 1: it is not a meta page.
      Do not open the store. Restore a backup, or let `StoreMaintenance.salvage(_:to:)` make a new store of the rest.
      """)
  }

  func testRebuildReport() {
    var report = RebuildReport()
    (report.transactions, report.events, report.objects, report.indexRows) = (2, 3, 1, 4)
    check(report, "Rebuilt 1 object and 4 index rows from 3 events in 2 transactions.")
    report.lostTransactions = 2
    check(
      report,
      """
      Rebuilt 1 object and 4 index rows from 3 events in 2 transactions. The log has lost 2 later transactions. \
      Compare the store with your last backup.
      """)
  }

  func testSalvageReport() {
    var report = SalvageReport()
    (report.transactions, report.objects, report.blobs) = (2, 1, 1)
    (report.draftRows, report.screenRows, report.journals) = (3, 1, 2)
    check(
      report,
      "Salvaged 2 transactions, 1 object, 1 blob, 3 rows of drafts, 1 row of screens and 2 journals.")
    (report.lost, report.intactTransactionsAfterGap, report.restoredObjects) = (3...5, 1, 1)
    report.found(.damagedRows(1))
    check(
      report,
      """
      Salvaged 2 transactions, 1 object, 1 blob, 3 rows of drafts, 1 row of screens and 2 journals. The new store \
      lacks the transactions 3 to 5, because transaction 3 is missing or damaged. 1 later transaction could be read, \
      but not be copied. 1 object got their last known values, in a new transaction.
      1 row of drafts and screens is damaged, and not in the new store.
      Compare the new store with your last backup before you use it.
      """)
  }

  func testRetentionBlockers() throws {
    check(
      RetentionReport.Blocker.context(7),
      """
      A context or a list shows the store after transaction 7, and needs all later transactions. Refresh the context, \
      or release it.
      """)
    check(
      RetentionReport.Blocker.projection(name: "tags", 7),
      """
      The projection 'tags' has processed the log only up to transaction 7. Install the projection, and wait with \
      `TransactionLog.waitForProjections()`.
      """)
    check(
      RetentionReport.Blocker.remoteSource(name: "articles", 7),
      "The remote source 'articles' has processed the log only up to transaction 7. Call `synchronize()` of the source."
    )
    check(
      RetentionReport.Blocker.index(7),
      """
      An index is being built from the transactions after transaction 7. Keep the store open until the index is ready.
      """)
    check(
      RetentionReport.Blocker.clock(7),
      """
      A clock was wrong, so a transaction after transaction 7 may be younger than the age that you passed. Wait until \
      the later transactions are older, too, or use `Retention.from(_:)`.
      """)
  }

  func testMigrationPreview() {
    let raises = MigrationPreview.Conversion(
      migration: "Salaries are numbers", entity: "Employee", property: "salary", objects: 2,
      failures: [.versionsOutOfOrder([2, 1])])
    let pets = MigrationPreview.Mapping(
      migration: "Cats are pets", mapping: "Cat to Pet", objects: 1, failures: [])
    let preview = MigrationPreview(
      version: 1, conversions: [raises], mappings: [pets], violations: [taken],
      removals: [.attribute("nickname", of: "Person")],
      unmatchedSteps: [.init(migration: "Cats are pets", step: "Dog to Pet")],
      renames: [
        .init(entity: "Pay", property: nil, former: "Card"), .init(entity: "Pay", property: "name", former: "title"),
      ],
      additions: [.init(entity: "Tag", property: nil), .init(entity: "Pay", property: "due")],
      derivations: [.init(entity: "Pay", property: "total", objects: 1)],
      indexes: [
        .init(
          entity: "Pay", properties: ["name", "due"], isUnique: true, nilsAreEqual: false, objects: 2, violations: [])
      ],
      warnings: [.index("[name]", entity: "Pay")],
      possibleRenames: [.init(entity: "Pay", property: "amount", formers: ["sum"])],
      unreadable: [
        .init(
          entity: "Note", property: "stars", type: "Int8", objects: 1,
          values: [.init(object: note, property: "stars", value: .int(300), reason: .outOfRange)])
      ])
    check(
      preview,
      """
      The store has version 1.
      Person.nickname is removed for good.
      The migration 'Salaries are numbers' converts Employee.salary of 2 objects.
      The migration 'Cats are pets' maps Cat to Pet, for 1 object at most.
      Card is renamed to Pay.
      Pay.title is renamed to name.
      Tag is new.
      Pay.due is new.
      Pay.total is computed for 1 object.
      The unique index over Pay[name, due] is built for 2 objects.
      The migration 'Cats are pets' finds nothing in the store for its step 'Dog to Pet'. Check the names in this step \
      if the store should have them.
      The store has an index [name] of Pay that no model declares. Declare it, or let a migration remove it.
      The plan has migrations to the versions 2, 1. Give them ascending versions from 1 on, and give the plan an \
      `oldestVersion` that is not above the last one.
      An object would break a rule: \(note) has 7 in stars, and may have at most 5.
      Pay.amount is new to the store, and the store has Pay.sum of the same type, which no model names. Without a \
      rename, existing objects would have a default value there. If it is the new name of 'sum', declare \
      @Attribute(was: "sum") or @Relationship(was: "sum").
      Int8, the type of Note.stars in the models, cannot hold the values of 1 object, such as \(note).
      Correct the migration plan or the models, or change the objects with the previous version of the program. Then \
      open the store.
      """)
  }

  func testMigrationPreviewWithoutProblems() {
    check(
      MigrationPreview(
        version: 1, conversions: [], mappings: [], violations: [], removals: [], unmatchedSteps: [], renames: [],
        additions: [], derivations: [], indexes: [], warnings: [], possibleRenames: [], unreadable: []),
      "The store has version 1.\nThe preview found nothing that would prevent the opening.")
  }

  // MARK: Plans

  func testFetchExplanations() {
    let counts = "12 objects visited (10 expected), at most 3 rows in memory at once."
    for (access, text) in [
      (.scan, "By a scan of all objects"), (.index(property: "title"), "By the index over 'title'"),
      (.search(property: "title"), "By the search index over 'title'"),
      (.referring(property: "writer.name"), "By the index over 'writer.name' and the objects that refer to its rows"),
      (
        .collected(properties: ["title", "stars", "title"]),
        "By collecting objects from the indexes over 'title', 'stars'"
      ),
      (.collected(properties: []), "Without a search, because no object can match"),
    ] as [(FetchExplanation.Access, String)] {
      check(explanation(access), "\(text), already sorted: \(counts)")
    }
    check(
      explanation(.scan, isInOrder: false, unfinishedIndexes: ["title", "Writer[name, age]"]),
      """
      By a scan of all objects, then sorted: \(counts) Not used, because still being built: the index over title, \
      Writer[name, age].
      """)
    check(
      explanation(.index(property: "title"), readsHistory: true),
      "By the index over 'title', as the index was at the context's transaction, already sorted: \(counts)")
    check(
      explanation(.scan, transactionsRead: 4),
      """
      By a scan of all objects, already sorted: \(counts) The context does not show the latest saves, so the fetch \
      also read their 4 transactions in the log.
      """)
  }

  private func explanation(
    _ access: FetchExplanation.Access, isInOrder: Bool = true, unfinishedIndexes: [String] = [],
    readsHistory: Bool = false, transactionsRead: Int = 0
  ) -> FetchExplanation {
    FetchExplanation(
      access: access, isInOrder: isInOrder, expectedVisits: 10, visits: 12, rowsInMemory: 3,
      unfinishedIndexes: unfinishedIndexes, readsHistory: readsHistory, transactionsRead: transactionsRead)
  }

  func testListPlans() {
    check(
      ListPlan(
        rows: .countedIndex(property: "title"), rowCount: 12, memoryInBytes: 0, differencesFromHead: 3, fetched: nil),
      """
      12 rows. A call reads only the rows that it needs, from the index over 'title', in O(log n) time. 3 rows differ \
      from the latest save, because of unsaved changes, or because the list's context is behind that save. The list \
      keeps these rows in memory.
      """)
    let scanned = explanation(.scan)
    check(
      ListPlan(rows: .inMemory, rowCount: 12, memoryInBytes: 240, differencesFromHead: 0, fetched: scanned),
      """
      12 rows in memory (240 bytes). Each call and each change takes O(log n) time. To keep no rows in memory, sort by \
      an indexed attribute, and use only a range of this attribute as the condition. Or declare an index over several \
      properties: the condition fixes the first properties, and the list is sorted by the rest. The last fetch of the \
      rows: \(scanned)
      """)
  }

  func testListChanges() {
    let path = RowPath(section: 1, item: 2)
    XCTAssertEqual(ListChanges().description, "no changes")
    let changes = ListChanges(
      deletedSections: [0], insertedSections: [3], movedSections: [.init(from: 1, to: 2)], deletedRows: [path],
      insertedRows: [path], movedRows: [.init(from: path, to: path)],
      updatedRows: [.init(before: path, after: path, properties: ["title", "stars"])])
    XCTAssertEqual(
      changes.description,
      """
      deleted sections 0; inserted sections 3; moved sections 1 to 2; deleted 1.2; inserted 1.2; moved 1.2 to 1.2; \
      updated 1.2 to 1.2 (title, stars)
      """)
  }

  // MARK: Reasons within other texts

  func testReplayErrors() throws {
    let texts: [(ReplayError, String)] = [
      (
        .malformed(MalformedBytes("a text", at: 4)), "a stored object or an event is damaged: expected a text at byte 4"
      ),
      (.missingObject(object), "the log changes the object \(object), which does not exist"),
      (.presentObject(object), "the log inserts the object \(object), which already exists"),
      (
        .otherHistory(
          object, expected: VersionPointers(previous: 7, skip: 5), found: VersionPointers(previous: 6, skip: 4)),
        """
        the event of the object \(object) names the transactions 6 and 4 as earlier versions, but the stored object \
        names 7 and 5
        """
      ),
      (
        .otherPlace(object, version: 3, expected: 7, found: 6),
        "version 3 of the object \(object) is recorded both in transaction 7 and in transaction 6"
      ),
      (
        .otherPlace(object, version: 0, expected: nil, found: 6),
        "transaction 6 changes the object \(object), but the stored history of the object begins later"
      ),
      (
        .otherPlace(object, version: 3, expected: nil, found: 6),
        "version 3 of the object \(object) cannot be in transaction 6"
      ),
      (
        .impossiblePointers(object, version: 3, VersionPointers(previous: 6, skip: 4)),
        "version 3 of the object \(object) cannot have earlier versions in the transactions 6 and 4"
      ),
      (
        .otherValue(object, property: 3),
        "the log changes a value of the property with the number 3 of the object \(object), but the object does not "
          + "have the old value"
      ),
      (.redacted(event: 2), "event 2 was erased, so the log does not have the state before it"),
    ]
    for (error, text) in texts { XCTAssertEqual(error.description, text) }
    XCTAssertEqual(texts.count - 2, try SourceEnums.cases(of: "ReplayError").count, "otherPlace has three texts")
  }

  func testStateCodingErrors() throws {
    let texts: [(StateCodingError, String)] = [
      (.malformed(MalformedBytes("a text", at: 4)), "the state's bytes are damaged: expected a text at byte 4"),
      (.newerFormat(9), "the state has format 9, which is newer than this version of the library"),
      (.tooDeep(limit: 64), "the values of the state are nested more than 64 levels deep"),
      (.tooLarge(bytes: 900, limit: 800), "the state has 900 bytes, and may have at most 800"),
      (.tooMany(limit: 100), "a list or dictionary of the state has more than 100 elements"),
      (.value(path: "row.id", reason: "there is no value for 'id'"), "row.id: there is no value for 'id'"),
    ]
    for (error, text) in texts { XCTAssertEqual(error.description, text) }
    XCTAssertEqual(texts.count, try SourceEnums.cases(of: "StateCodingError").count)
    XCTAssertEqual(StateCodingError.value(path: "", reason: "it is empty").description, "it is empty")
  }

  func testCountedIndexProblems() {
    for (kind, text) in [
      (.rowHasValue, "the row has a value, but must have none"),
      (.outOfOrder, "the key is not greater than the key before it"),
      (.malformedCounts, "the row and child counts of the node cannot be read"),
      (.firstBoundNotEmpty, "the first node of a level must have an empty key"),
      (.outsideEveryNode, "no node of the tree covers this key"),
      (.rowsDiffer(counted: 3, found: 4), "the node counts 3 rows, but has 4"),
      (.childrenDiffer(counted: 3, found: 4), "the node counts 3 children, but has 4"),
      (.empty, "the node has no children"), (.tooManyChildren(90), "the node has too many children (90)"),
      (.tooFewChildren(1), "the node has too few children (1)"),
      (.severalRoots, "the highest level has more than one node"),
      (.needlessLevel, "the level is unnecessary, because the level below it has only one node"),
    ] as [(CountedIndex.Problem.Kind, String)] {
      let problem = CountedIndex.Problem(level: 2, rowKey: [1, 255], kind: kind)
      XCTAssertEqual(problem.description, "tree level 2, key 01ff: \(text)")
    }
    XCTAssertEqual(
      CountedIndex.Problem(level: 2, rowKey: [], kind: .needlessLevel).description,
      "tree level 2: the level is unnecessary, because the level below it has only one node")
  }

  // MARK: Restoration

  func testRestorationReport() throws {
    let first = try NodePath(["main"])
    let second = try NodePath(["main", "note"])
    let report = RestorationReport(
      start: .restored, archive: nil, lastExit: .crashed,
      entries: [
        .init(path: first, kind: "window", outcome: .restored),
        .init(path: second, kind: "note", outcome: .failed(reason: "its factory threw: no such note")),
      ],
      unread: 2, objects: [.init(key: "player", outcome: .pending(key: "player"))], orphanedDrafts: ["editor"],
      conflictingDrafts: ["comment"], dropped: [first, second], damage: ["A row of the table 'archives' is damaged."])
    check(
      report,
      """
      Restored 1 of 4 screens.
      2 screens that no visible screen needs are deferred until the program asks for them.
      main/note: failed: its factory threw: no such note
      The archive keeps the states of these screens. `retry(at:)` tries a screen again, and `close(at:)` removes it.
      The object 'player': waits for the late object 'player'
      The draft 'editor' has edits, but its screen was not restored. See `recoverableDrafts()`.
      The draft 'comment' is based on edits of its parent context that no longer exist. Call `conflicts()` of the \
      draft's context before you save it.
      These screens were removed by a retention policy or a migration of states: main, main/note.
      A row of the table 'archives' is damaged.
      """)
  }

  func testRestorationReportsWithoutNodes() {
    for (start, text) in [
      (.fresh, "There is no archive of the scene, so the scene starts fresh."),
      (
        .refused,
        """
        `shouldRestore` returned false, so the scene starts without its archive. The first save sets the archive \
        aside, and `Restoration.refusedArchives(of:in:)` then lists it.
        """
      ),
      (
        .quarantined,
        """
        The last four launches ended while they restored the archive, so it is set aside. See \
        `Restoration.refusedArchives(of:in:)` for the archive, and `recoverableDrafts()` for its edits.
        """
      ),
    ] as [(RestorationReport.Start, String)] {
      let report = RestorationReport(
        start: start, archive: nil, lastExit: .unknown, entries: [], unread: 0, objects: [], orphanedDrafts: [],
        conflictingDrafts: [], dropped: [], damage: [])
      check(report, text)
    }
    let report = RestorationReport(
      start: .restored, archive: nil, lastExit: .unknown, entries: [], unread: 1, objects: [], orphanedDrafts: [],
      conflictingDrafts: [], dropped: [], damage: [])
    check(
      report,
      """
      Restored 0 of 1 screens.
      1 screen that no visible screen needs is deferred until the program asks for it.
      """)
  }

  func testRestorationOutcomes() throws {
    check(.restored, "restored")
    check(.reused, "restored with an existing object")
    check(.skipped(reason: "it is gone"), "skipped: it is gone")
    check(.unresolved("no kind 'note' is defined"), "unresolved: no kind 'note' is defined")
    check(.deferred, "deferred until the program asks for it")
    check(.pending(key: "player"), "waits for the late object 'player'")
    check(.corrupt(reason: "a bit flipped"), "damaged: a bit flipped")
    check(.failed(reason: "it is gone"), "failed: it is gone")
    check(
      .quarantined(reason: "the last two launches ended while making it"),
      "quarantined: the last two launches ended while making it")
  }

  private func check(_ outcome: RestorationReport.Outcome, _ text: String, line: UInt = #line) {
    XCTAssertEqual(outcome.description, text, line: line)
  }
}
