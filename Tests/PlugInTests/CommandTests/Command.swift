import Foundation

/// The command beside the tests.
enum Command {
  static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/reprise"

  struct Result {
    let output: String
    let errors: String
    let status: Int32
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// - Parameter program: A program with its arguments, which runs the command.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], through program: [String] = []
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program.isEmpty ? path : "/usr/bin/env")
    process.arguments = program.isEmpty ? arguments : program + [path] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Neither text fills a pipe.
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let error = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      output: String(decoding: text, as: UTF8.self), errors: String(decoding: error, as: UTF8.self),
      status: process.terminationStatus)
  }
}
