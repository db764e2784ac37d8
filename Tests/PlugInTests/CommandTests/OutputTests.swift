import Foundation
import RepriseCore
import Songs
import XCTest

/// An output is lost without a word, or destroys something.
@MainActor
final class OutputTests: XCTestCase {
  private var songs: SongStore!
  private let folder = NSTemporaryDirectory() + "reprise-output-\(UUID().uuidString)"

  override func setUp() async throws {
    songs = try await SongStore()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  }

  override func tearDown() async throws {
    try await songs.remove()
    try FileManager.default.removeItem(atPath: folder)
  }

  func testAnExportReplacesTheStore() async throws {
    try await songs.store.flush()
    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: songs.path + "/data.mdb")
    for path in ["/data.mdb", "/lock.mdb", "/new.jsonl", "/journals/new"].map({ songs.path + $0 }) + [folder + "/link"]
    {
      let result = try Command.run(["export", songs.path, "--output", path])
      XCTAssertEqual(result.status, 1, path)
      XCTAssertTrue(
        result.errors.contains("is in the directory of a store, and could replace the store"), result.errors)
    }
    let tables = try Command.run(["export", songs.path, "--format", "csv", "--output", songs.path])
    XCTAssertEqual(tables.status, 1)
    XCTAssertEqual(try Command.run(["verify", songs.path]).status, 0)
    XCTAssertEqual(try Command.run(["query", songs.path, "Song", "--count"]).output, "1\n")
  }

  func testAnExportReplacesAPipeOrALink() async throws {
    let whole = try Command.run(["export", songs.path]).output
    let (pipe, link) = (folder + "/pipe", folder + "/link")
    XCTAssertEqual(mkfifo(pipe, 0o600), 0)
    let reader = Process()
    let output = Pipe()
    reader.executableURL = URL(fileURLWithPath: "/bin/cat")
    reader.arguments = [pipe]
    reader.standardOutput = output
    try reader.run()
    XCTAssertEqual(try Command.run(["export", songs.path, "--output", pipe]).status, 0)
    XCTAssertEqual(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self), whole)
    reader.waitUntilExit()
    var status = stat()
    XCTAssertEqual(lstat(pipe, &status), 0)
    XCTAssertEqual(status.st_mode & S_IFMT, S_IFIFO)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder + "/real")
    XCTAssertEqual(try Command.run(["export", songs.path, "--output", link]).status, 0)
    XCTAssertEqual(try String(contentsOfFile: folder + "/real", encoding: .utf8), whole)
    XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), folder + "/real")
  }

  func testALostOutputLooksWritten() async throws {
    for arguments in [
      ["info", songs.path], ["log", songs.path], ["schema", songs.path], ["verify", songs.path], ["check", songs.path],
      ["query", songs.path, "Song"], ["export", songs.path], ["drafts", songs.path], ["scenes", songs.path],
    ] {
      let result = try Command.run(arguments, through: ["sh", "-c", "exec \"$0\" \"$@\" >/dev/full"])
      XCTAssertEqual(result.status, 1, arguments[0])
      XCTAssertTrue(result.errors.contains("The output cannot be written: No space left"), result.errors)
    }
  }

  func testAMissingPagerHidesTheOutput() async throws {
    for pager in ["reprise-has-no-such-pager", "/nowhere/pager -R", ""] {
      let log = try TerminalProcess(["log", songs.path], environment: ["PAGER": pager])
      XCTAssertEqual(log.end(), 0)
      XCTAssertTrue(log.text.contains("Rename it"), log.text)
      XCTAssertFalse(log.text.contains("not found"), log.text)
    }
  }

  func testADumbTerminalGetsColours() async throws {
    let log = try TerminalProcess(["log", songs.path], environment: ["TERM": "dumb"])
    XCTAssertEqual(log.end(), 0)
    XCTAssertFalse(log.text.contains("\u{1B}"), log.text)
    let coloured = try TerminalProcess(["log", songs.path], environment: ["TERM": "xterm"])
    XCTAssertEqual(coloured.end(), 0)
    XCTAssertTrue(coloured.text.contains("\u{1B}[33m"), coloured.text)
  }

  func testAPipeIsNotImported() async throws {
    let whole = try Command.run(["export", songs.path]).output
    for (number, name) in ["-", "/dev/stdin"].enumerated() {
      let copy = folder + "/copy\(number)"
      let script = "\"$0\" export \"$1\" | \"$0\" import \"$2\" \(name)"
      let result = try Command.run([songs.path, copy], through: ["sh", "-c", script])
      XCTAssertEqual(result.output, "Inserted 1 and updated 0 objects. 0 are equal already.\n", result.errors)
      XCTAssertEqual(try Command.run(["export", copy]).output, whole)
    }
    let script = "echo nonsense | \"$0\" import \"$1\" -"
    let nonsense = try Command.run([folder + "/none"], through: ["sh", "-c", script])
    XCTAssertEqual(nonsense.status, 1)
    XCTAssertTrue(nonsense.errors.contains("stdin does not begin with the header of an export"), nonsense.errors)
  }

  func testACopyIsReportedAsAMissingStore() async throws {
    let other = folder + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    try "text".write(toFile: other + "/file", atomically: false, encoding: .utf8)
    for command in ["backup", "salvage"] {
      if command == "salvage" { try await songs.store.close() }
      let full = try Command.run([command, songs.path, other])
      XCTAssertEqual(full.status, 1)
      XCTAssertTrue(full.errors.contains("There are files at \(other) already."), full.errors)
      let nowhere = try Command.run([command, songs.path, "/proc/reprise"])
      XCTAssertEqual(nowhere.status, 1)
      XCTAssertTrue(nowhere.errors.contains("The copy cannot be made at /proc/reprise."), nowhere.errors)
    }
  }

  func testAUUIDOfTwoObjectsMeansTheFirst() async throws {
    let uuid = "00000000-0000-7000-8000-000000000001"
    let file = folder + "/two.jsonl"
    try """
    {"reprise-export":1,"entities":[{"name":"A","properties":[]},{"name":"B","properties":[]}]}
    {"object":"A/\(uuid)"}
    {"object":"B/\(uuid)"}
    {"end":true}

    """.write(toFile: file, atomically: false, encoding: .utf8)
    let copy = folder + "/two"
    XCTAssertEqual(try Command.run(["import", copy, file]).status, 0)
    for command in [["show"], ["erase", "--yes"]] {
      let result = try Command.run([command[0], copy, uuid] + command.dropFirst())
      XCTAssertEqual(result.status, 1)
      XCTAssertTrue(
        result.errors.contains("Several objects have the UUID \(uuid): A/\(uuid), B/\(uuid)."), result.errors)
    }
  }

  func testAWordHasNoMeaningAndNoMessage() async throws {
    let (path, missing) = (songs.path, "Song/00000000-0000-7000-8000-000000000009")
    let song = try RootContext(songs.store).fetch(Fetch<Song>())[0].id.any.description
    for (arguments, message) in [
      (["query", path, "Song @99"], "'@99' is not in the log, whose last position is 3."),
      (["export", path, "Song @99"], "'@99' is not in the log, whose last position is 3."),
      (["history", path, missing], "and its log has no change of one. Check the ID."),
      (["log", path, "--object", missing], "and its log has no change of one. Check the ID."),
      (["blame", path, missing], "and its log has no change of one. Check the ID."),
      (["erase", path, song, "--property", "nope"], "Song has no property 'nope'."),
      (["erase", path, missing], "so there is nothing to erase."),
      (["query", path, "Song", "--count", "--explain"], "Choose one of '--count' and '--explain'."),
      (["import", path, folder + "/none", "--format", "csv"], "none cannot be read. Check its path and permissions."),
    ] {
      let result = try Command.run(arguments)
      XCTAssertNotEqual(result.status, 0, "\(arguments)")
      XCTAssertTrue(result.errors.contains(message), "\(arguments): \(result.errors)")
    }
  }
}
