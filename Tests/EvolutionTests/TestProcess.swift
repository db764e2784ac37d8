import Foundation

/// One test of this program, in a process of its own that is killed.
final class TestProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// - Parameter variables: Tell the test that it is not one of this process.
  init(_ test: String, _ variables: [String: String]) throws {
    process.executableURL = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = ["RepriseEvolutionTests.\(test)"]
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Waits until it has written a text; false if it ended before.
  func hasSaid(_ wanted: String) -> Bool {
    var text = ""
    while !text.contains(wanted) {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return false }
      text += String(decoding: more, as: UTF8.self)
    }
    return true
  }

  var id: Int32 { process.processIdentifier }

  /// Gives it a line to read.
  func say(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
