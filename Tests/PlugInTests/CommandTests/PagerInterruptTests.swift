import Foundation
import RepriseCore
import Songs
import XCTest

/// Ctrl-C ends the command below its pager, so that the pager is lost or the terminal is broken.
@MainActor
final class PagerInterruptTests: XCTestCase {
  private var songs: SongStore!
  private let mark = "REPRISE_TEST_MARK=\(UUID().uuidString)"
  private var shell: TerminalProcess!

  override func setUp() async throws {
    songs = try await SongStore()
    let parts = mark.split(separator: "=").map(String.init)
    let setsid = "/usr/bin/setsid"
    guard access(setsid, X_OK) == 0, access("/usr/bin/less", X_OK) == 0, access("/bin/bash", X_OK) == 0 else {
      throw XCTSkip("NOT CHECKED: Ctrl-C with a pager. Install bash, less and setsid to check it.")
    }
    // A shell with job control, whose terminal turns Ctrl-C into a signal.
    shell = try TerminalProcess(
      ["-c", "-w", "/bin/bash", "--norc", "--noprofile", "--noediting", "-i"], of: setsid,
      environment: [parts[0]: parts[1], "PS1": "ready> ", "TERM": "xterm", "PAGER": "less", "LESS": "FRX"])
    XCTAssertTrue(shell.wait(for: "ready> "), shell.text)
  }

  override func tearDown() async throws {
    if shell != nil {
      shell.type("exit\n")
      _ = shell.end()
    }
    try await songs.remove()
  }

  /// More rows than a pipe holds.
  private func addSongs() async throws {
    let context = RootContext(songs.store)
    for number in 0..<20_000 { context.insert(Song(title: "Song \(number)")) }
    try await context.save("Add many")
  }

  /// The commands and pagers of this test's shell that run.
  private func processes() -> [(id: Int32, words: String)] {
    func text(_ path: String) -> String {
      String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
    return numbers.compactMap { number in
      guard text("/proc/\(number)/environ").contains(mark) else { return nil }
      let words = text("/proc/\(number)/cmdline").replacing("\0", with: " ")
      return words.contains("--noediting") || words.isEmpty ? nil : (number, words)
    }
  }

  private func run(_ command: String) {
    shell.forget()
    shell.type("\(command)\n")
  }

  /// The end of the command: the shell has the terminal, which works as before, and nothing else runs.
  private func expectEnd(status: Int, line: UInt = #line) {
    XCTAssertTrue(shell.wait(for: "ready> "), shell.text, line: line)
    run("echo status=$?; stty -a; echo end=$?")
    XCTAssertTrue(shell.wait(for: "end=0\r\n"), shell.text, line: line)
    XCTAssertTrue(shell.text.contains("status=\(status)\r\n"), shell.text, line: line)
    for mode in [" icanon", " echo ", " isig", " opost"] {
      XCTAssertTrue(shell.text.replacing("\r\n", with: " ").contains(mode), "\(mode): \(shell.text)", line: line)
    }
    XCTAssertEqual(processes().map(\.words), [], "a process stays", line: line)
  }

  func testCtrlCDuringRowsLosesThePager() async throws {
    try await addSongs()
    run("\(Command.path) log --patch \(songs.path)")
    XCTAssertTrue(shell.wait(for: "\n:"), shell.text)
    // The command waits, because the pipe to the pager is full.
    XCTAssertEqual(processes().count { $0.words.hasPrefix(Command.path) }, 1)
    for _ in 0..<2 {
      shell.type("\u{3}")
      usleep(300_000)
      shell.forget()
      // The next page.
      shell.type(" ")
      XCTAssertTrue(shell.wait(for: "title: "), shell.text)
    }
    XCTAssertFalse(shell.text.contains("ready> "), shell.text)
    // All rows up to Ctrl-C can be read.
    shell.forget()
    shell.type("G")
    XCTAssertTrue(shell.wait(for: "(END)"), shell.text)
    shell.type("q")
    expectEnd(status: 130)
  }

  func testCtrlCAfterAllRowsLosesThePager() async throws {
    for number in 0..<40 { try await songs.rename(to: "Name \(number)") }
    run("\(Command.path) log -n 100 \(songs.path)")
    XCTAssertTrue(shell.wait(for: "\n:"), shell.text)
    usleep(300_000)
    for _ in 0..<3 {
      shell.type("\u{3}")
      usleep(100_000)
    }
    shell.forget()
    shell.type("G")
    XCTAssertTrue(shell.wait(for: "(END)"), shell.text)
    XCTAssertFalse(shell.text.contains("ready> "), shell.text)
    shell.type("q")
    expectEnd(status: 130)
  }

  func testAKillLosesThePager() async throws {
    try await addSongs()
    run("\(Command.path) log --patch \(songs.path)")
    XCTAssertTrue(shell.wait(for: "\n:"), shell.text)
    let command = try XCTUnwrap(processes().first { $0.words.hasPrefix(Command.path) })
    kill(command.id, SIGTERM)
    usleep(300_000)
    shell.forget()
    shell.type("G")
    XCTAssertTrue(shell.wait(for: "(END)"), shell.text)
    XCTAssertFalse(shell.text.contains("ready> "), shell.text)
    shell.type("q")
    expectEnd(status: 143)
  }

  func testCtrlCEndsNoOtherPager() async throws {
    try await addSongs()
    run("PAGER='sleep 100' \(Command.path) log --patch \(songs.path)")
    while !processes().contains(where: { $0.words.hasPrefix("sleep") }) { usleep(10_000) }
    usleep(100_000)
    shell.type("\u{3}")
    expectEnd(status: 130)
  }

  func testAQuitPagerLeavesTheCommand() async throws {
    try await addSongs()
    run("\(Command.path) log --patch \(songs.path)")
    XCTAssertTrue(shell.wait(for: "\n:"), shell.text)
    shell.type("q")
    expectEnd(status: 0)
  }
}
