import Foundation
import Inspected
import RepriseCore
import XCTest

/// A store that this command or this user may not use is changed, or the message has no next step.
@MainActor
final class RefusedStoreTests: XCTestCase {
  private var songs: SongStore!
  private let folder = NSTemporaryDirectory() + "reprise-refused-\(UUID().uuidString)"
  private var copy: String { folder + "/copy" }

  override func setUp() async throws {
    songs = try await SongStore()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws {
    try FileManager.default.removeItem(atPath: folder)
    try? await songs.remove()
  }

  private func close() async throws {
    try await songs.store.close()
    try FileManager.default.copyItem(atPath: songs.path, toPath: copy)
  }

  /// The content of each file of the store. The lock file has the table of readers.
  private func files(_ path: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name != "lock.mdb" {
      files[name] = (try? Data(contentsOf: URL(filePath: path + "/" + name))) ?? Data()
    }
    return files
  }

  private func shell(_ program: String, _ arguments: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardError = nil
    process.standardOutput = nil
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// The arguments of each command that opens a store.
  private var commands: [[String]] {
    [
      ["info", copy], ["query", copy, "Song"], ["show", copy, "Song/x"], ["schema", copy], ["log", copy],
      ["watch", copy], ["diff", copy, "@1"], ["history", copy, "Song/x"], ["blame", copy, "Song/x"],
      ["revert", copy, "@3", "--yes"], ["drafts", copy], ["drafts", copy, "--save", "x", "--yes"], ["scenes", copy],
      ["export", copy], ["inspect", copy], ["inspect", copy, "--edit"], ["verify", copy],
      ["backup", copy, folder + "/new"], ["compact", copy], ["rebuild", copy], ["salvage", copy, folder + "/new"],
      ["retain", copy, "--last", "1", "--yes"], ["erase", copy, "Song/x", "--yes"],
      ["import", copy, folder + "/a.jsonl", "--yes"], ["check", copy],
    ]
  }

  func testALaterFormatIsOpened() async throws {
    try await close()
    _ = try Command.run(["export", copy, "--output", folder + "/a.jsonl"])
    var data = try Data(contentsOf: URL(filePath: copy + "/data.mdb"))
    let fact = Data("formatRPRS".utf8) + [1, 0, 0, 0]
    var (start, count) = (data.startIndex, 0)
    while let place = data.range(of: fact, in: start..<data.endIndex) {
      data[place.upperBound - 4] = 9
      (start, count) = (place.upperBound, count + 1)
    }
    XCTAssertGreaterThan(count, 0)
    try data.write(to: URL(filePath: copy + "/data.mdb"))
    let before = try files(copy)
    let message = "\(copy) has format 9, and Reprise 0.1.0 reads formats up to 1. Update Reprise."
    // A damaged number looks like a later format, and 'salvage' reads damaged stores.
    for arguments in commands where arguments[0] != "salvage" {
      let result = try Command.run(arguments)
      XCTAssertEqual(result.status, 1, "\(arguments): \(result.output)")
      XCTAssertEqual(result.errors, "Error: \(message)\n", "\(arguments)")
      XCTAssertEqual(result.output, "", "\(arguments)")
    }
    XCTAssertEqual(try files(copy), before)
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder + "/new"))
  }

  func testAForbiddenFolderIsOpened() async throws {
    try await close()
    let before = try files(copy)
    XCTAssertEqual(chmod(copy, 0o000), 0)
    defer { chmod(copy, 0o700) }
    if getuid() == 0, try !shell("setpriv", "--reuid=65534", "--clear-groups", "true") {
      throw XCTSkip("This superuser cannot become another user.")
    }
    let message =
      "This user may not read and write \(copy). Change the owner or the mode of the directory and its files."
    let user = getuid() == 0 ? ["setpriv", "--reuid=65534", "--clear-groups"] : []
    for arguments in commands where arguments[0] != "import" {
      let result = try Command.run(arguments, through: user)
      XCTAssertEqual(result.status, 1, "\(arguments): \(result.output)")
      XCTAssertEqual(result.errors, "Error: \(message)\n", "\(arguments)")
    }
    chmod(copy, 0o700)
    XCTAssertEqual(try files(copy), before)
  }

  /// Runs `body` while the copy is on a read-only file system.
  private func readOnly(_ path: String, _ body: (String) throws -> Void) throws {
    let place = folder + "/mounted"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    guard try shell("mount", "--bind", path, place) else { throw XCTSkip("This user may not mount a file system.") }
    defer { _ = try? shell("umount", place) }
    guard try shell("mount", "-o", "remount,ro,bind", place) else {
      throw XCTSkip("A bind mount cannot be read-only here.")
    }
    try body(place)
  }

  func testAReadOnlyStoreIsChanged() async throws {
    try await close()
    let before = try files(copy)
    XCTAssertEqual(try Command.run(["export", copy, "--output", folder + "/a.jsonl"]).status, 0)
    try readOnly(copy) { place in
      for arguments in [
        ["info", place], ["query", place, "Song"], ["log", place, "--patch"], ["schema", place], ["diff", place, "@1"],
        ["drafts", place], ["scenes", place], ["export", place], ["verify", place], ["check", place],
        ["backup", place, folder + "/backup"],
      ] {
        let result = try Command.run(arguments)
        XCTAssertEqual(result.status, 0, "\(arguments): \(result.errors)")
        XCTAssertEqual(result.errors, "", "\(arguments)")
      }
      XCTAssertEqual(try Command.run(["export", folder + "/backup"]).output, try Command.run(["export", copy]).output)
      let inspector = try InspectCommand(place)
      let rows = try RawRequest.send(
        "GET /\(inspector.token)/api/rows?fetch=Song HTTP/1.1\r\nHost: 127.0.0.1:\(inspector.port)\r\n"
          + "Connection: close\r\n\r\n", to: inspector.port)
      XCTAssertEqual(rows.status, 200, rows.text)
      XCTAssertEqual(inspector.interrupt(), 0)
      let message =
        "\(place) cannot be written: its file system is read-only, or the program opened it to inspect it. Move the "
        + "store to another file system, or open it for editing."
      for arguments in [
        ["revert", place, "@3", "--yes"], ["drafts", place, "--save", "x", "--yes"], ["inspect", place, "--edit"],
        ["import", place, folder + "/a.jsonl", "--yes"], ["retain", place, "--last", "1", "--yes"],
        ["compact", place], ["rebuild", place],
      ] {
        let result = try Command.run(arguments)
        XCTAssertEqual(result.status, 1, "\(arguments): \(result.output)")
        XCTAssertEqual(result.errors, "Error: \(message)\n", "\(arguments)")
      }
    }
    XCTAssertEqual(try files(copy), before)
  }

  func testAStoreInUseIsReadThroughAnotherMount() async throws {
    let path = songs.path
    try readOnly(path) { place in
      for arguments in [["info", place], ["backup", place, folder + "/backup"], ["inspect", place]] {
        let result = try Command.run(arguments)
        XCTAssertEqual(result.status, 1, "\(arguments): \(result.output)")
        XCTAssertEqual(
          result.errors, "Error: \(place) is open in another process. Close the store there first.\n", "\(arguments)")
      }
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: folder + "/backup"))
  }

  func testABackupTakesADraft() async throws {
    let context = try RootContext(songs.store, author: "bea", draft: "editor")
    try context.fetch(songs.store.entity(named: "Song"))[0].set("title", to: .string("Draft"))
    try await songs.store.flush()
    let result = try Command.run(["backup", songs.path, folder + "/backup"])
    XCTAssertEqual(result.status, 0, result.errors)
    XCTAssertTrue(result.output.hasPrefix("Copied the store at @3 to \(folder)/backup, "), result.output)
    let draft = try Command.run(["drafts", folder + "/backup", "editor"])
    XCTAssertTrue(draft.output.contains(#"title: "Two" → "Draft""#), draft.output + draft.errors)
    // The program goes on.
    XCTAssertTrue(context.hasChanges)
    try await context.save()
    XCTAssertEqual(try songs.title, "Draft")
  }
}
