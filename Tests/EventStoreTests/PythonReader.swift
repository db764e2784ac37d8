import Foundation
import XCTest

/// The independent reader: Python, and nothing of this library.
enum PythonReader {
  struct Output {
    let status: Int32
    let lines: [[String: Any]]
    let errors: String

    func lines(_ type: String) -> [[String: Any]] { lines.filter { $0["type"] as? String == type } }
    var problems: [String] { lines("problem").compactMap { $0["text"] as? String } }
  }

  static var folder: URL {
    URL(fileURLWithPath: #filePath).appendingPathComponent("../../FormatReader").standardizedFileURL
  }

  /// A Python that has PyPI's `lmdb`.
  private static let interpreter: [String]? = {
    let root = folder.appendingPathComponent("../..").standardizedFileURL.path
    let named = ProcessInfo.processInfo.environment["REPRISE_PYTHON"]
    let candidates = [named.map { [$0] }, [root + "/.venv/bin/python"], ["/usr/bin/env", "python3"]].compactMap { $0 }
    return candidates.first { (try? launch($0 + ["-c", "import lmdb"]).status) == 0 }
  }()

  static func run(_ script: String, _ arguments: String...) throws -> Output {
    guard let interpreter else {
      let advice = "no Python with PyPI's package lmdb: run .ci/setup, and then the test again"
      throw XCTestError(.failureWhileWaiting, userInfo: [NSLocalizedDescriptionKey: advice])
    }
    let (status, output, errors) = try launch(
      interpreter + ["-B", folder.appendingPathComponent(script).path] + arguments)
    let lines = try output.split(separator: UInt8(ascii: "\n")).compactMap { line in
      try JSONSerialization.jsonObject(with: Data(line), options: .fragmentsAllowed) as? [String: Any]
    }
    return Output(status: status, lines: lines, errors: errors)
  }

  private static func launch(_ command: [String]) throws -> (status: Int32, output: Data, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    // Errors go to a file: two pipes read one behind the other may wait for each other.
    let errors = FileManager.default.temporaryDirectory.appendingPathComponent("reprise-reader-\(UUID().uuidString)")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, bytes, (try? String(contentsOf: errors, encoding: .utf8)) ?? "")
  }
}
