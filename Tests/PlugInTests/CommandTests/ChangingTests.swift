import Foundation
import RepriseCore
import Songs
import XCTest

/// The command changes a store without consent, or refuses to change it.
@MainActor
final class ChangingTests: XCTestCase {
  private var songs: SongStore!
  private var path: String { songs.path }

  override func setUp() async throws { songs = try await SongStore() }

  override func tearDown() async throws { try await songs.remove() }

  func testAScriptRevertsOnlyWithYes() async throws {
    let preview = try Command.run(["revert", path, "@3"])
    XCTAssertEqual(preview.status, 1)
    XCTAssertEqual(preview.lines.first, "The reversal of @3 changes:")
    XCTAssertTrue(preview.output.contains(#"title: "Two" → "One \u{1b}[31m""#), preview.output)
    XCTAssertTrue(
      preview.errors.contains(
        "Revert? Nobody could answer, so nothing was changed. Add '--yes' to the command to make the change."),
      preview.errors)
    XCTAssertEqual(try songs.title, "Two")
    let done = try Command.run(["revert", path, "@3", "--yes", "--author", "eve"])
    XCTAssertEqual(done.status, 0, done.errors)
    XCTAssertEqual(done.lines.last, "Transaction @4 reverts @3.")
    XCTAssertEqual(try songs.title, "One \u{1B}[31m")
    let log = try Command.run(["log", path, "-n", "1"])
    XCTAssertTrue(log.output.contains("  eve  "), log.output)
    XCTAssertTrue(log.output.contains("undoes @3"), log.output)
  }

  func testAConflictNeedsAnAnswer() async throws {
    try await songs.rename(to: "Three")
    let refused = try Command.run(["revert", path, "@3", "--yes"])
    XCTAssertEqual(refused.status, 1)
    XCTAssertTrue(refused.output.contains("Open: add '--mine' or '--theirs'."), refused.output)
    XCTAssertTrue(refused.errors.contains("or keep the later changes with '--theirs'"), refused.errors)
    XCTAssertEqual(try songs.title, "Three")
    let done = try Command.run(["revert", path, "@3", "--yes", "--mine", "--json"])
    XCTAssertEqual(done.status, 0, done.errors)
    XCTAssertEqual(done.lines.last, #"{"position":5,"undoes":3}"#)
    XCTAssertEqual(try songs.title, "One \u{1B}[31m")
  }

  func testATerminalIsAsked() async throws {
    let declined = try TerminalProcess(["revert", path, "@3"])
    XCTAssertTrue(declined.wait(for: "Revert? [y/N] "), declined.text)
    declined.type("n\n")
    XCTAssertEqual(declined.end(), 1)
    XCTAssertTrue(declined.text.contains("Nothing was changed."), declined.text)
    XCTAssertEqual(try songs.title, "Two")
    let agreed = try TerminalProcess(["revert", path, "@3"])
    XCTAssertTrue(agreed.wait(for: "Revert? [y/N] "), agreed.text)
    agreed.type("y\n")
    XCTAssertEqual(agreed.end(), 0, agreed.text)
    XCTAssertTrue(agreed.text.contains("Transaction @4 reverts @3."), agreed.text)
  }

  func testAnInterruptedQuestionChangesNothing() async throws {
    let asked = try TerminalProcess(["revert", path, "@3"])
    XCTAssertTrue(asked.wait(for: "Revert? [y/N] "), asked.text)
    asked.interrupt()
    // A shell reports 130 for a program that the signal ends.
    XCTAssertEqual(asked.end(), -SIGINT)
    XCTAssertTrue(asked.text.contains("The command was interrupted."), asked.text)
    XCTAssertEqual(try songs.title, "Two")
  }

  func testDraftsAreShownAndDiscarded() async throws {
    var context: RootContext? = try RootContext(songs.store, author: "ada", draft: "editor")
    try context?.fetch(Fetch<Song>())[0].set("title", to: .string("Draft"))
    try await songs.store.close()
    context = nil
    let list = try Command.run(["drafts", path])
    XCTAssertTrue(list.output.contains("editor"), list.output + list.errors)
    let changes = try Command.run(["drafts", path, "editor"])
    XCTAssertTrue(changes.output.contains(#"title: "Two" → "Draft""#), changes.output)
    let asked = try Command.run(["drafts", path, "--discard", "editor"])
    XCTAssertEqual(asked.status, 1)
    XCTAssertTrue(asked.errors.contains("Discard the draft 'editor' with the edits of 1 object?"), asked.errors)
    let done = try Command.run(["drafts", path, "--discard", "editor", "--yes"])
    XCTAssertEqual(done.output, "Removed 'editor'.\n", done.errors)
    XCTAssertEqual(try Command.run(["drafts", path]).output, "The store has no drafts.\n")
  }

  private final class Screen {}

  func testScenesAreShownAndRemoved() async throws {
    let restoration = Restoration(songs.store)
    let kind = NodeKind<Int, Screen>("Player")
    try restoration.define(kind) { _ in Screen() }
    try await restoration.restore()
    try restoration.open(kind, id: "player", state: 3)
    try await restoration.flush()
    restoration.end()
    try await songs.store.close()
    XCTAssertTrue(try Command.run(["info", path]).lines.contains("scenes: main"))
    let tree = try Command.run(["scenes", path, "main"])
    XCTAssertEqual(tree.output, "main\n  player  Player v1  3\n", tree.errors)
    let done = try Command.run(["scenes", path, "--remove", "main", "--yes"])
    XCTAssertEqual(done.output, "Removed 'main'.\n", done.errors)
    XCTAssertEqual(try Command.run(["scenes", path]).output, "The store has no scenes.\n")
  }

  func testOldTransactionsGoOnlyWithYes() async throws {
    let asked = try Command.run(["retain", path, "--last", "1"])
    XCTAssertEqual(asked.status, 1)
    XCTAssertTrue(asked.errors.contains("Delete up to 2 of 3 transactions, from @1 to @2?"), asked.errors)
    XCTAssertEqual(try songs.store.log.firstPosition, 1)
    try await songs.store.close()
    let done = try Command.run(["retain", path, "--since", "@3", "--yes"])
    XCTAssertEqual(done.output, "Deleted 2 transactions. The log begins at @3.\n", done.errors)
    let again = try Command.run(["retain", path, "--last", "1"])
    XCTAssertEqual(again.output, "Deleted 0 transactions. The log begins at @3.\n", again.errors)
    XCTAssertEqual(again.status, 0)
  }

  func testPastValuesGoOnlyWithYes() async throws {
    let song = try RootContext(songs.store).fetch(Fetch<Song>())[0].id.any.description
    try await songs.store.close()
    let asked = try Command.run(["erase", path, song, "--property", "title"])
    XCTAssertEqual(asked.status, 1)
    XCTAssertTrue(asked.errors.contains("Erase the past values of title of \(song) from 2 transactions?"), asked.errors)
    let done = try Command.run(["erase", path, song, "--yes"])
    XCTAssertTrue(done.output.hasPrefix("Erased values of 2 transactions.\n"), done.output + done.errors)
    XCTAssertFalse(try Command.run(["log", path, "--patch"]).output.contains("One"))
  }

  func testADraftIsSavedWithoutYes() async throws {
    let context = try RootContext(songs.store, author: "bea", draft: "editor")
    try context.fetch(Fetch<Song>())[0].set("title", to: .string("Draft"))
    try await songs.store.flush()
    let used = try Command.run(["drafts", path, "--save", "editor", "--yes"])
    XCTAssertEqual(used.status, 1)
    XCTAssertTrue(used.errors.contains("\(DraftError.inUse("editor"))"), used.errors)
    let live = try Command.run(["drafts", path, "--export", "editor"])
    XCTAssertTrue(live.lines[1].hasSuffix(#""old":{"title":"Two"},"values":{"title":"Draft"}}"#), live.output)
    try await songs.store.close()
    let file = path + "-draft.jsonl"
    defer { try? FileManager.default.removeItem(atPath: file) }
    XCTAssertEqual(try Command.run(["drafts", path, "--export", "editor", "--output", file]).status, 0)
    XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), live.output)
    let copy = path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    XCTAssertEqual(try Command.run(["backup", path, copy]).status, 0)
    let imported = try Command.run(["import", copy, file, "--yes"])
    XCTAssertEqual(imported.output, "Inserted 0 and updated 1 objects. 0 are equal already.\n", imported.errors)
    let transaction = try Command.run(["log", copy, "-n", "1", "--patch"])
    XCTAssertTrue(transaction.output.contains(#"title: "Two" → "Draft""#), transaction.output)
    XCTAssertTrue(transaction.output.contains("  bea  "), transaction.output)
    let asked = try Command.run(["drafts", path, "--save", "editor"])
    XCTAssertEqual(asked.status, 1)
    XCTAssertTrue(asked.output.contains(#"title: "Two" → "Draft""#), asked.output)
    XCTAssertTrue(asked.errors.contains("Save the draft 'editor' as a transaction?"), asked.errors)
    let saved = try Command.run(["drafts", path, "--save", "editor", "--yes"])
    XCTAssertEqual(saved.lines.last, "Transaction @4 has the edits of 'editor'.", saved.errors)
    XCTAssertEqual(try Command.run(["drafts", path]).output, "The store has no drafts.\n")
    XCTAssertTrue(try Command.run(["log", path, "-n", "1"]).output.contains("  bea  "))
  }

  func testADraftIsSavedOverALaterSave() async throws {
    let context = try RootContext(songs.store, author: "bea", draft: "editor")
    try context.fetch(Fetch<Song>())[0].set("title", to: .string("Draft"))
    try await songs.rename(to: "Three")
    try await songs.store.close()
    let refused = try Command.run(["drafts", path, "--save", "editor", "--yes"])
    XCTAssertEqual(refused.status, 1)
    XCTAssertTrue(
      refused.output.hasSuffix(
        ".title: was \"Two\", mine \"Draft\", theirs \"Three\". Open: add '--mine' or '--theirs'.\n"), refused.output)
    XCTAssertTrue(
      refused.errors.hasPrefix(
        "Error: The draft 'editor' was not saved, because later saves changed 1 value or object"),
      refused.errors)
    XCTAssertTrue(try Command.run(["query", path, "Song"]).output.contains("Three"))
    XCTAssertTrue(try Command.run(["drafts", path]).output.contains("editor"), "the draft stays")
    let done = try Command.run(["drafts", path, "--save", "editor", "--yes", "--mine"])
    XCTAssertEqual(done.lines.last, "Transaction @5 has the edits of 'editor'.", done.errors)
    XCTAssertTrue(try Command.run(["query", path, "Song"]).output.contains("Draft"))
  }

  func testASoundStoreIsSalvagedOrRebuilt() async throws {
    try await songs.store.close()
    XCTAssertTrue(try Command.run(["rebuild", path]).output.hasPrefix("Rebuilt 1 object "))
    let copy = path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let sound = try Command.run(["salvage", path, copy])
    XCTAssertEqual(sound.status, 0, sound.errors)
    XCTAssertTrue(sound.output.hasPrefix("Salvaged 3 transactions, 1 object"), sound.output)
    XCTAssertEqual(try Command.run(["salvage", path, copy]).status, 1)
  }
}
