import Foundation
import RepriseCore
import RepriseTool
import XCTest

/// A message names a call of the library to a person who types commands.
final class CommandWordsTests: XCTestCase {
  /// The files with messages that a command can show.
  private static let reachable: Set = [
    "BlobError.swift", "CheckReport.swift", "Conflict.swift", "ErasureError.swift", "FetchTextError.swift",
    "HeadRebuilder.swift", "JournalError.swift", "JournalProblem.swift", "LookupError.swift", "Retention.swift",
    "RevertError.swift", "SaveError.swift", "SaveRefusal.swift", "StoreError+Description.swift", "StoreFinding.swift",
    "VerificationReport.swift",
  ]

  /// Words of fetch texts and of the shell, which a person types, and the name of a delete rule.
  private static let typed: Set = ["`any`", "`all`", "`count`", "`deny`", "`ulimit -n`", "`kill -CONT`"]

  /// Calls in messages about the models of a program, and about an opening on another thread. A command makes its
  /// models of the store, and opens the store before it goes on.
  private static let ofPrograms: Set = [
    "`AttributeConversion`", "`checksRenames: false`", "`isStrict`", "`ready()`", "`was:`",
    #"`was: \"\(name)\"`"#, "`shareProcessNamespace: true`", "`--pid`",
  ]

  /// The sources of the library's messages by their file, with each text in one piece.
  private func messages() throws -> [String: String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    var found: [String: String] = [:]
    for folder in ["EventStore", "Log", "Journal", "ObjectGraph", "ObjectModel", "Dynamic"] {
      let files = FileManager.default.enumerator(atPath: root.path + "/Sources/" + folder)
      while let file = files?.nextObject() as? String {
        guard file.hasSuffix(".swift"), let name = file.split(separator: "/").last else { continue }
        let text = try String(contentsOfFile: "\(root.path)/Sources/\(folder)/\(file)", encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        found[String(name), default: ""] +=
          lines.filter { !$0.hasPrefix("//") }.joined(separator: "\n").replacing("\"\n+ \"", with: "") + "\n"
      }
    }
    return found
  }

  func testACallHasNoCommand() throws {
    let messages = try messages().filter { Self.reachable.contains($0.key) }
    XCTAssertEqual(Set(messages.keys), Self.reachable)
    for (file, text) in messages {
      for call in CommandWords.text(text).matches(of: /`[^`\n]+`/).map({ "\($0.0)" }) {
        let isTyped = Self.typed.contains(call) || call.contains("\\(process)") || call.contains("\\(thread)")
        XCTAssertTrue(isTyped || call.contains("fuser") || Self.ofPrograms.contains(call), "\(file): \(call)")
      }
    }
  }

  func testACallOfAMaintenanceHasNoCommand() throws {
    let calls = try messages().values.joined()
      .matches(of: /`(StoreMaintenance\.[^`]*|TransactionLog\.retain[^`]*)`/).map { "\($0.0)" }
    XCTAssertGreaterThan(Set(calls).count, 4)
    for call in Set(calls) { XCTAssertFalse(CommandWords.text(call).contains("`"), call) }
  }

  func testAPhraseIsInNoMessage() throws {
    let messages = try messages().values.joined()
    for phrase in CommandWords.libraryPhrases {
      XCTAssertTrue(messages.contains(phrase), "no message has: \(phrase)")
    }
  }

  func testAFailedSaveHasNoNextStep() throws {
    let id = try XCTUnwrap(UniqueID("01900000-0000-7000-8000-000000000001"))
    XCTAssertEqual(
      CommandWords.of(SaveError.outcomeUnknown(transaction: id)),
      "The disk failed during the commit of transaction \(id), or a shared log did not answer. The transaction may or "
        + "may not be in the log. If the disk failed, repair the disk. Then look for the transaction with 'reprise "
        + "log'.")
    XCTAssertEqual(
      CommandWords.of(ErasureError.unfinishedIndexes(["Note [title]"])),
      "Nothing was erased. These indexes are still being built from the log: Note [title]. Let a program open the "
        + "store until its indexes are ready, and close it.")
    for (blocker, text) in [
      (
        .projection(name: "counts", 3),
        "The projection 'counts' has processed the log only up to transaction 3. Let the program with the projection "
          + "open the store until the projection has processed the log."
      ),
      (
        .remoteSource(name: "server", 3),
        "The remote source 'server' has processed the log only up to transaction 3. Let the program with the source "
          + "synchronize it."
      ),
      (
        .clock(3),
        "A clock was wrong, so a transaction after transaction 3 may be younger than the age that you passed. Wait "
          + "until the later transactions are older, too, or use '--since'."
      ),
    ] as [(RetentionReport.Blocker, String)] {
      XCTAssertEqual(CommandWords.text("\(blocker)"), text)
    }
    XCTAssertEqual(
      CommandWords.text(
        "Resolve it with `resolve(_:with:)`. An object that cannot be restored needs `theirs`, which keeps it "
          + "deleted."),
      "Resolve it with '--mine' or '--theirs'. An object that cannot be restored needs '--theirs', which keeps it "
        + "deleted.")
    XCTAssertEqual(
      CommandWords.text("If you know the ID, resume the draft with `makeChild(draft:)` or `RootContext`."),
      "If you know the ID, resume the draft in the program that made it.")
    XCTAssertEqual(
      CommandWords.text("Look for these drafts in `store.drafts`."), "'reprise drafts' lists these drafts.")
  }

  func testADamagedStoreHasNoNextStep() {
    for (error, text) in [
      (
        .damaged(path: "/a", reason: "a page is wrong"),
        "/a is damaged: a page is wrong. Rebuild the store from its log with 'reprise rebuild'. If that fails, restore "
          + "a backup, or let 'reprise salvage' make a new store of the rest."
      ),
      (
        .fileTruncated(path: "/a", expected: 8_192, found: 4_096),
        "/a/data.mdb has 4096 bytes, but its pages need 8192. Restore it from a backup, or let 'reprise salvage' "
          + "make a new store of the rest."
      ),
      (
        .transactionsLost(path: "/a", last: 3, saved: 4),
        "The log of /a ends with transaction 3, but the last saved transaction is 4. Do not write to the store. "
          + "Restore it from a backup, or let 'reprise rebuild --accept-loss' restore the older state that the log has."
      ),
      (
        .collationVersionMismatch(path: "/a", found: 1, supported: 2),
        "The indexes of /a have version 1 of the sort order, and this library has version 2. Rebuild the store with "
          + "'reprise rebuild', or open it with the version of the library that wrote it."
      ),
      (
        .truncated(path: "/a", position: 1, firstPosition: 5),
        "Transaction 1 is no longer in the log of /a: 'reprise retain' deleted all transactions before 5. Use "
          + "transaction 5 or a later one, or an older backup."
      ),
      (
        .otherLog(path: "/a", token: 9, head: 5),
        "The token names transaction 9, but the log of /a ends with transaction 5. The store was restored from an "
          + "older backup, or the token is from another store. Run the command again."
      ),
      (
        .sharesLog(path: "/a"),
        "/a shares its log with other machines, so only a program that shares the log may change it. Make the change "
          + "in that program. A migration, an erasure and a rebuild of such a store are not possible."
      ), (.notFound(path: "/a"), "There is no store at /a. Check the path."),
    ] as [(StoreError, String)] {
      XCTAssertEqual(CommandWords.of(error), text)
    }
    XCTAssertEqual(
      CommandWords.of(PropertyError.unknown("x", entity: "Song")),
      "Song has no property 'x'. 'reprise schema' lists its properties.")
    XCTAssertEqual(
      CommandWords.text("`retain`, `erase` or `salvage` removed it."),
      "'reprise retain', 'reprise erase' or 'reprise salvage' removed it.")
    XCTAssertEqual(
      CommandWords.of(PropertyError.toMany("songs", entity: "Album")),
      "\(PropertyError.toMany("songs", entity: "Album"))", "any other message stays")
  }
}
