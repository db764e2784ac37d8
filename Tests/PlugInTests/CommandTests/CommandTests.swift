import Foundation
import RepriseCore
import Songs
import XCTest

/// The command does something else than its help says.
@MainActor
final class CommandTests: XCTestCase {
  private var songs: SongStore!
  private var path: String { songs.path }
  private var store: Store { songs.store }

  override func setUp() async throws { songs = try await SongStore() }

  override func tearDown() async throws { try await songs.remove() }

  func testAStoreInUseIsRead() async throws {
    let info = try Command.run(["info", path])
    XCTAssertEqual(info.status, 0, info.errors)
    XCTAssertTrue(info.lines[1].hasPrefix("log: 3 transactions, @1"), info.output)
    XCTAssertTrue(info.output.contains("Song"), info.output)
    XCTAssertTrue(info.output.contains("open in processes: \(getpid())\n"), info.output)
    let log = try Command.run(["log", path, "-n", "2", "--stat"])
    XCTAssertEqual(log.lines.count, 2)
    XCTAssertTrue(log.lines[0].hasSuffix("ada  \"Rename it\"  Song ~1"), log.output)
    XCTAssertTrue(log.lines[1].hasSuffix("ada  \"Add a song\"  Song +1"), log.output)
    let id = try store.uri(for: RootContext(store).fetch(Fetch<Song>())[0].id.any)
    let blame = try Command.run(["blame", path, id])
    XCTAssertTrue(blame.output.contains("Rename it"), blame.output)
    XCTAssertEqual(try Command.run(["verify", path]).status, 0)
    // The program goes on.
    let context = RootContext(store)
    context.insert(Song(title: "Three"))
    try await context.save()
  }

  func testNoEscapeReachesTheTerminal() async throws {
    let log = try Command.run(["log", path, "--patch"])
    XCTAssertTrue(log.output.contains(#"title: "One \u{1b}[31m" → "Two""#), log.output)
    XCTAssertFalse(log.output.contains("\u{1B}"), log.output)
    let coloured = try Command.run(["log", path, "--patch", "--color", "always"])
    XCTAssertTrue(coloured.output.contains("\u{1B}[36m@3\u{1B}[0m"), coloured.output)
  }

  func testProgramsGetJSON() async throws {
    for line in try Command.run(["log", path, "--json"]).lines {
      XCTAssertNotNil(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let count = try Command.run(["query", path, "Song", "--count", "--json"])
    XCTAssertEqual(count.output, "{\"count\":1}\n")
    let plan = try Command.run(["query", path, "Song", "--explain", "--json"])
    XCTAssertTrue(plan.output.hasPrefix("{\"access\":\"scan\","), plan.output)
    let info = try Command.run(["info", path, "--json"])
    let value = try JSONSerialization.jsonObject(with: Data(info.output.utf8)) as? [String: Any]
    XCTAssertEqual((value?["entities"] as? [[String: Any]])?.first?["objects"] as? Int, 1)
  }

  func testMistakesAreNamed() async throws {
    for (arguments, message, status) in [
      (["info", path + "/nothing"], "There is no store at \(path)/nothing.", 1),
      (["info", "/etc"], "/etc is not a Reprise store", 1),
      (["show", path, "x"], "'x' is no object.", 1),
      (["log", path, "--until", "soon"], "'soon' is no position.", 1),
      (["rebuild", path, "--accept-loss"], "Rebuild without the last transactions, if the log has lost them?", 1),
      (["inspect", path, "--port", "70000"], "A port is a number from 0 to 65535.", 64),
      (["inspect", path, "--author", "kim"], "'--author' needs '--edit'.", 64),
      (["log", path, "--entity", "Ghost"], "The store has no entity 'Ghost'. It has: Song.", 1),
      (["query", path, "Song where titel == 1"], "Did you mean 'title'?", 1),
      (["query", path, "Song where"], "Line 1, column 11:", 1),
      (
        ["query", path, "Song @2", "--as-of", "@1"],
        "The fetch has a position or a time already, so leave out '--as-of'.", 64
      ), (["sing", path], "unexpected arguments: 'sing'", 64),
      (["log", path, "-n", "many"], "is invalid", 64),
      (["compact", path], "is open in another process", 1),
      (["erase", path, "Song/x", "--yes"], "'Song/x' is no object.", 1),
      (["drafts", path, "x"], "The store has no draft 'x'. It has: none.", 1),
      (["drafts", path, "--discard", "x", "--yes"], "The store has no draft 'x'. It has: none.", 1),
      (
        ["drafts", path, "x", "--discard", "x"],
        "Name one draft: to show it, or with '--export', '--save' or '--discard'.", 64
      ),
      (["drafts", path, "--mine"], "'--mine' and '--theirs' need '--save'.", 64),
      (["drafts", path, "--output", "x"], "'--output' needs '--export'.", 64),
      (["drafts", path, "--export", "x"], "The store has no draft 'x'. It has: none.", 1),
      (["drafts", path, "--save", "x", "--yes"], "The store has no draft 'x'. It has: none.", 1),
      (["scenes", path, "--remove", "x", "--yes"], "The store has no scene 'x'. It has: none.", 1),
      (["scenes", path, "x", "--remove", "x"], "Show a scene, or remove one with '--remove'.", 64),
      (["retain", path], "Write one of '--last', '--days' and '--since'.", 64),
      (["retain", path, "--last", "1", "--days", "1"], "Write one of '--last', '--days' and '--since'.", 64),
      (["retain", path, "--last", "0"], "The number must be positive.", 64),
      (["revert", path, "@9", "--yes"], "'@9' is not in the log", 1),
      (["revert", path, "@1", "--yes"], "It changed no objects.", 1),
    ] {
      let result = try Command.run(arguments)
      XCTAssertEqual(result.status, Int32(status), "\(arguments)")
      XCTAssertTrue(result.errors.contains(message), "\(arguments): \(result.errors)")
      XCTAssertEqual(result.output, "", "\(arguments)")
    }
  }

  func testDamageHasAnExitCode() async throws {
    let copy = path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let backup = try Command.run(["backup", path, copy])
    XCTAssertEqual(backup.status, 0, backup.errors)
    XCTAssertTrue(backup.output.hasPrefix("Copied the store at @3"), backup.output)
    XCTAssertEqual(try Command.run(["check", copy]).status, 0)
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: copy + "/data.mdb"))
    try file.seek(toOffset: 2 * 4_096)
    try file.write(contentsOf: Data(repeating: 0xAA, count: 8 * 4_096))
    try file.close()
    XCTAssertEqual(try Command.run(["check", copy]).status, 2)
  }

  func testAReaderMayEndEarly() async throws {
    let context = RootContext(store)
    for number in 0..<2_000 { context.insert(Song(title: "Song \(number)")) }
    try await context.save()
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "\(Command.path) log \(path) --patch | head -1; exit 0"]
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    XCTAssertTrue(text.hasPrefix("@4"), text)
  }
}
