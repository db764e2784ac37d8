import Foundation
import XCTest

/// Another process: this test program again, running one role of `ChildRoles`. It says what it did line by line.
final class ChildProcess {
  private static let mark = "reprise-child: "
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// The role, while this process is such a child.
  static var role: String? { ProcessInfo.processInfo.environment["REPRISE_LMDB_ROLE"] }
  static var directory: String { ProcessInfo.processInfo.environment["REPRISE_LMDB_DIRECTORY"] ?? "" }

  init(_ role: String, in directory: String, through launcher: [String] = []) throws {
    // Writing to a child that has ended is no reason to end as well.
    signal(SIGPIPE, SIG_IGN)
    let test = "RepriseLMDBTests.ChildRoles/testPlaysItsRole"
    #if canImport(Darwin)
    let command = [CommandLine.arguments[0], "-XCTest", test, Bundle(for: ChildProcess.self).bundlePath]
    #else
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let command = [program, test]
    #endif
    let words = launcher + command
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    var environment = ProcessInfo.processInfo.environment
    environment["REPRISE_LMDB_ROLE"] = role
    environment["REPRISE_LMDB_DIRECTORY"] = directory
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  var identifier: Int { Int(process.processIdentifier) }

  /// The next thing that the child says; nil when it has ended.
  func heard() -> String? {
    while true {
      while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
        unread = Data(unread[(end + 1)...])
        if line.hasPrefix(Self.mark) { return String(line.dropFirst(Self.mark.count)) }
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread += more
    }
  }

  /// Lets a child go on that waits.
  func goOn() {
    try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
  }

  /// Holds the child where it is, as a debugger or a job control does.
  func stop() { Foundation.kill(process.processIdentifier, SIGSTOP) }

  /// Lets a child go on that was stopped.
  func proceed() { Foundation.kill(process.processIdentifier, SIGCONT) }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func end() {
    goOn()
    process.waitUntilExit()
  }

  static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(mark)\(text)\n".utf8))
  }

  static func waitForParent() {
    _ = readLine()
  }
}
