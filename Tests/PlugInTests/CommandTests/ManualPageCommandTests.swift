import Foundation
import XCTest

/// `man` shows the page of the command with mistakes.
final class ManualPageCommandTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-\(UUID().uuidString).1"

  override func setUpWithError() throws {
    let page = try Command.run(["manual"])
    XCTAssertEqual(page.status, 0, page.errors)
    try page.output.write(toFile: path, atomically: false, encoding: .utf8)
  }

  override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: path) }

  private func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> (
    output: String, errors: String
  ) {
    guard
      ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains(where: { access("\($0)/\(program)", X_OK) == 0 })
    else { throw XCTSkip("NOT CHECKED: the page for man. Install \(program) to check it.") }
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0, program)
    return (text, error)
  }

  /// The text without the marks of bold and underlined letters, and without wide spaces.
  private static func words(_ text: String) -> String {
    text.replacing(#/.\u{8}/#, with: "").replacing(#/ +/#, with: " ")
  }

  func testTheFormatterWarnsIfThereIsGroff() throws {
    let result = try run("groff", ["-man", "-Tutf8", "-ww", "-rLL=80n", path])
    XCTAssertEqual(result.errors, "")
    XCTAssertTrue(Self.words(result.output).contains("Look into a Reprise store"), result.output)
  }

  func testTheReaderSeesOtherTextIfThereIsMan() throws {
    let environment = ["MANWIDTH": "200", "MANROFFOPT": "-c", "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "PAGER": "cat"]
    let result = try run("man", ["--warnings=w", "-l", path], environment: environment)
    XCTAssertEqual(result.errors, "")
    let text = Self.words(result.output)
    for sentence in [
      "reprise - Look into a Reprise store: its objects, its history, and the author of each change.",
      "as @1234, head, head~3, or as a date or a time in UTC: 2026-11-20, '2026-11-20 18:30'.",
      "reprise log store [options]", "\n Look info, query, show, schema, inspect\n",
      #"It may end with 'as of 2026-11-20' or '@1234'."#, #"writes {"count":3}, and"#,
      "-n limit, --limit limit", "-h, --help", "--version", "It ends 'watch' and 'inspect' with 0.",
    ] { XCTAssertTrue(text.contains(sentence), "\(sentence) is not in:\n\(text)") }
  }

  /// The check for machines without groff: the page has only these macros and escapes.
  func testAMacroOrEscapeIsUnknown() throws {
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix(".") {
        XCTAssertNotNil(line.firstMatch(of: #/^\.(TH|SH|SS|TP|PP)( |$)/#), "\(line)")
      }
      XCTAssertFalse(line.hasPrefix("'"), "\(line)")
      XCTAssertTrue(line.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(line)")
      XCTAssertEqual(
        line.replacing(#/\\(f[BIR]|-|&|e|\((aq|ga|ha|ti))/#, with: "").firstIndex(of: "\\"), nil, "\(line)")
      // The fonts end in their line.
      let fonts = line.matches(of: #/\\f([BIR])/#).map { String($0.1) }
      for (place, font) in fonts.enumerated() {
        XCTAssertEqual(font == "R", !place.isMultiple(of: 2), "\(line)")
      }
      XCTAssertTrue(fonts.count.isMultiple(of: 2), "\(line)")
      // Other signs that a terminal would show differently.
      XCTAssertFalse(line.contains(#/['`^~]/#) && !line.hasPrefix("."), "\(line)")
    }
  }
}
