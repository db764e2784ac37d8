import Foundation

/// Another process: this test program again, with one test. Variables of the environment tell that test that it runs in
/// a child. The child reports by lines of its standard output, and reads lines of its standard input.
// Safe: only one thread at a time uses it.
package final class ChildProcess: @unchecked Sendable {
  private static let mark = "reprise-child: "
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// - Parameters:
  ///   - test: The test to run, such as "RepriseLMDBTests.ChildRoles/testPlaysItsRole".
  ///   - launcher: The words of a command that starts the program.
  package init(test: String, _ variables: [String: String], through launcher: [String] = []) throws {
    // Writing to a child that has ended is no reason to end as well.
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Darwin)
    let command = [CommandLine.arguments[0], "-XCTest", test, Bundle(for: ChildProcess.self).bundlePath]
    #else
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let command = [program, test]
    #endif
    let words = launcher + command
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  package var identifier: Int32 { process.processIdentifier }

  // MARK: Roles

  /// A child whose test plays this role, in this directory.
  package convenience init(
    test: String, role: String, in directory: String, through launcher: [String] = []
  ) throws {
    try self.init(test: test, ["REPRISE_ROLE": role, "REPRISE_DIRECTORY": directory], through: launcher)
  }

  /// The role, while this process is such a child.
  package static var role: String? { ProcessInfo.processInfo.environment["REPRISE_ROLE"] }
  package static var directory: String { ProcessInfo.processInfo.environment["REPRISE_DIRECTORY"] ?? "" }

  // MARK: In the child

  package static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(mark)\(text)\n".utf8))
  }

  package static func waitForParent() {
    _ = readLine()
  }

  // MARK: In the parent

  /// The next thing that the child says; nil when it has ended.
  package func heard() -> String? {
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

  /// Waits until the child says one of these; nil if it ended before.
  package func wait(for texts: String...) -> String? {
    while let text = heard() {
      if texts.contains(text) { return text }
    }
    return nil
  }

  /// Gives the child a line to read.
  package func tell(_ line: String) {
    try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Lets a child go on that waits.
  package func goOn() { tell("") }

  /// Holds the child where it is, as a debugger or a job control does.
  package func stop() { Foundation.kill(identifier, SIGSTOP) }

  /// Lets a child go on that was stopped.
  package func proceed() { Foundation.kill(identifier, SIGCONT) }

  package func kill() {
    if process.isRunning { Foundation.kill(identifier, SIGKILL) }
    process.waitUntilExit()
  }

  package func end() {
    goOn()
    process.waitUntilExit()
  }
}
