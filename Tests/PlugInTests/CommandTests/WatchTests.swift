import Foundation
import RepriseCore
import XCTest

/// The command that goes on loses transactions, or cannot be ended.
@MainActor
final class WatchTests: XCTestCase {
  private var songs: SongStore!

  override func setUp() async throws { songs = try await SongStore() }

  override func tearDown() async throws { try await songs.remove() }

  /// The next line that the command writes.
  private func line(_ file: FileHandle) async throws -> String {
    let lines = Task.detached {
      var line: [UInt8] = []
      while let byte = try file.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
      return String(decoding: line, as: UTF8.self)
    }
    return try await lines.value
  }

  func testEachSaveIsShownUntilCtrlC() async throws {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: Command.path)
    process.arguments = ["watch", songs.path, "-n", "1", "--stat"]
    process.standardOutput = output
    try process.run()
    let file = output.fileHandleForReading
    let first = try await line(file)
    XCTAssertTrue(first.hasPrefix("@3") && first.hasSuffix("\"Rename it\"  Song ~1"), first)
    for (title, position) in [("Three", "@4"), ("Four", "@5")] {
      try await songs.rename(to: title)
      let next = try await line(file)
      XCTAssertTrue(next.hasPrefix(position), next)
    }
    process.interrupt()
    let rest = try file.readToEnd() ?? Data()
    process.waitUntilExit()
    XCTAssertEqual(rest, Data())
    XCTAssertEqual(process.terminationReason, .exit)
    XCTAssertEqual(process.terminationStatus, 0)
  }
}
