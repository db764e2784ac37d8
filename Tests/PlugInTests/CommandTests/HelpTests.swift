import Foundation
import XCTest

/// A command is missing from the help, the completions or the manual page.
final class HelpTests: XCTestCase {
  private static let commands = [
    "info", "query", "show", "schema", "log", "watch", "diff", "history", "blame", "revert", "drafts", "scenes",
    "check", "verify", "backup", "compact", "rebuild", "salvage", "retain", "erase", "export", "import", "inspect",
  ]

  func testEachShellCompletesTheCommands() throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try Command.run(["--generate-completion-script", shell])
      XCTAssertEqual(script.status, 0, script.errors)
      for command in Self.commands { XCTAssertTrue(script.output.contains(command), "\(shell) \(command)") }
    }
  }

  func testBashAcceptsItsCompletions() throws {
    let bash = "/bin/bash"
    guard FileManager.default.isExecutableFile(atPath: bash) else { throw XCTSkip("There is no bash.") }
    let path = NSTemporaryDirectory() + "reprise-completions-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let script = try Command.run(["--generate-completion-script", "bash"])
    try script.output.write(toFile: path, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: bash)
    process.arguments = ["-n", path]
    try process.run()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  func testTheHelpNamesTheCommands() throws {
    let help = try Command.run(["--help"])
    XCTAssertEqual(help.status, 0, help.errors)
    for command in Self.commands {
      XCTAssertTrue(help.lines.contains { $0.hasPrefix("  \(command) ") }, command)
    }
    XCTAssertFalse(help.lines.contains { $0.hasPrefix("  manual") }, help.output)
  }

  func testEachSentenceOfTheHelpIsIntended() throws {
    let page = try Command.run(["manual"]).output.replacing("\\-", with: "-").replacing("\\(aq", with: "'")
    for text in HelpTexts.all { XCTAssertTrue(page.contains(text), text) }
  }

  func testTheManualPageHasEachCommand() throws {
    let page = try Command.run(["manual"])
    XCTAssertEqual(page.status, 0, page.errors)
    XCTAssertTrue(page.lines[0].hasPrefix(".TH REPRISE 1 "), page.lines[0])
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS"] {
      XCTAssertTrue(page.lines.contains(".SH \(section)"), section)
    }
    for command in Self.commands {
      XCTAssertTrue(page.lines.contains { $0.hasPrefix(".SS reprise \(command) ") }, command)
    }
    XCTAssertTrue(page.output.contains(#"\fB\-\-as\-of\fR \fIas\-of\fR"#), page.output)
  }
}
