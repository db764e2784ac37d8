import Foundation

/// A running `reprise inspect`. It ends with this object.
public final class InspectCommand {
  /// The address that it has printed, with the token.
  public let url: String
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()

  public struct Ended: Error, CustomStringConvertible {
    public let status: Int32
    public let message: String
    public var description: String { "reprise inspect has ended with status \(status): \(message)" }
  }

  public init(_ store: String, _ options: [String] = []) throws {
    // A benchmark names an optimised program.
    let chosen = ProcessInfo.processInfo.environment["REPRISE_COMMAND"]
    process.executableURL = URL(fileURLWithPath: chosen ?? Self.program("reprise"))
    process.arguments = ["inspect", store, "--json"] + options
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    let answer = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: String]
    guard let url = answer?["url"] else {
      process.waitUntilExit()
      let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      throw Ended(status: process.terminationStatus, message: message)
    }
    self.url = url
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// A program beside the tests.
  public static func program(_ name: String) -> String {
    let test = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: test.isEmpty ? CommandLine.arguments[0] : test).deletingLastPathComponent().path
      + "/" + name
  }

  public var port: UInt16 { UInt16(url.split(separator: "/")[1].split(separator: ":")[1]) ?? 0 }
  public var token: String { String(url.split(separator: "/")[2]) }

  /// A line of the process's status, such as "VmHWM", in megabytes.
  public func memory(_ name: String) -> Double? {
    let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(separator: " ").dropLast().last.flatMap { Double($0) }.map { $0 * 1_024 / 1_000_000 }
  }

  /// Sends Ctrl-C, and waits for the end.
  ///
  /// - Returns: The exit code, or a negative signal that ended the program.
  public func interrupt() -> Int32 {
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}
