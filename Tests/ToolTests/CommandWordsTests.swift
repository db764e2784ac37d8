import Foundation
import RepriseCore
import RepriseTool
import XCTest

/// A message names a call of the library to a person who types commands.
final class CommandWordsTests: XCTestCase {
  /// The sources of the library's messages, with each text in one piece.
  private func messages() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    var found = ""
    for folder in ["EventStore", "Log", "Journal", "ObjectGraph", "Dynamic"] {
      let files = FileManager.default.enumerator(atPath: root.path + "/Sources/" + folder)
      while let file = files?.nextObject() as? String {
        guard file.hasSuffix(".swift") else { continue }
        let text = try String(contentsOfFile: "\(root.path)/Sources/\(folder)/\(file)", encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        found += lines.filter { !$0.hasPrefix("//") }.joined(separator: "\n") + "\n"
      }
    }
    return found.replacing("\"\n+ \"", with: "")
  }

  func testACallHasNoCommand() throws {
    let calls = try messages().matches(of: /`(StoreMaintenance\.[^`]*|TransactionLog\.retain[^`]*)`/).map { "\($0.0)" }
    XCTAssertGreaterThan(Set(calls).count, 4)
    for call in Set(calls) { XCTAssertFalse(CommandWords.text(call).contains("`"), call) }
  }

  func testAPhraseIsInNoMessage() throws {
    let messages = try messages()
    for phrase in CommandWords.libraryPhrases {
      XCTAssertTrue(messages.contains(phrase), "no message has: \(phrase)")
    }
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
