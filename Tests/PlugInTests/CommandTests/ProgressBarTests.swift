import Foundation
import RepriseCore
import Songs
import XCTest

/// The progress of a call is missing, stays on the terminal, or gets into the output.
@MainActor
final class ProgressBarTests: XCTestCase {
  private var songs: SongStore!
  private let folder = NSTemporaryDirectory() + "reprise-progress-\(UUID().uuidString)"
  private static let removal = "\r\u{1B}[K"

  override func setUp() async throws {
    songs = try await SongStore()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws {
    try FileManager.default.removeItem(atPath: folder)
    try await songs.remove()
  }

  /// The text of a terminal on which the progress is shown from the beginning.
  private func run(_ arguments: [String], answer: String? = nil, delay: String = "0") throws -> String {
    let terminal = try TerminalProcess(arguments, environment: ["REPRISE_PROGRESS_DELAY": delay])
    if let answer {
      XCTAssertTrue(terminal.wait(for: "[y/N] "), terminal.text)
      terminal.type(answer)
    }
    XCTAssertEqual(terminal.end(), 0, terminal.text)
    return terminal.text
  }

  func testALongCallHasNoProgress() async throws {
    let (path, file) = (songs.path, folder + "/a.jsonl")
    for (label, arguments) in [
      ("Exporting", ["export", path, "--output", file]), ("Exporting", ["export", path]),
      ("Checking", ["import", folder + "/copy", file]), ("Reading the log", ["log", path, "--author", "nobody"]),
      ("Reading the log", ["log", path]), ("Reading", ["query", path, "Song", "--json"]),
      ("Comparing", ["diff", path, "@1"]), ("Verifying", ["verify", path]),
      ("Copying", ["backup", path, folder + "/backup"]),
    ] {
      let text = try run(arguments)
      XCTAssertTrue(text.hasPrefix("\(Self.removal)\(label), 0 s"), "\(arguments): \(text)")
      let rest = try XCTUnwrap(text.components(separatedBy: Self.removal).last)
      XCTAssertFalse(rest.contains(label), "the progress stays: \(text)")
      XCTAssertEqual(
        rest.isEmpty, arguments.contains("nobody") || arguments.contains(file) && label == "Exporting", text)
    }
  }

  func testAQuestionIsOnTheProgress() async throws {
    let file = folder + "/a.jsonl"
    XCTAssertEqual(try Command.run(["export", songs.path, "--as-of", "@2", "--output", file]).status, 0)
    let text = try run(["import", songs.path, file], answer: "y\n")
    let parts = text.components(separatedBy: Self.removal)
    XCTAssertTrue(parts.contains { $0.hasPrefix("Insert 0 and update 1 objects? [y/N] ") }, text)
    XCTAssertTrue(parts.contains { $0.hasPrefix("Importing, 0 s") }, text)
    XCTAssertTrue(parts.last?.hasPrefix("Inserted 0 and updated 1 objects.") == true, text)
  }

  func testAShortCallHasAProgress() async throws {
    let text = try run(["diff", songs.path, "@1"], delay: "1000")
    XCTAssertFalse(text.contains("Comparing"), text)
    let script = try Command.run(["diff", songs.path, "@1"], environment: ["REPRISE_PROGRESS_DELAY": "0"])
    XCTAssertEqual(script.errors, "")
  }
}
