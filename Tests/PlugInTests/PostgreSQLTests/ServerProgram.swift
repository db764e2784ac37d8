import Foundation

/// A process of SongServer. It ends with this object, or with the test process.
final class ServerProgram {
  /// What a server knows, as its line says.
  struct Report {
    let head: UInt64
    /// The number of transactions that its feed has brought.
    let fed: UInt64
    /// The number of songs in its list.
    let listed: Int
    let isFollower: Bool
    /// Whether the outcomes of all its saves are known.
    let isDecided: Bool
    let failure: String

    init?(_ line: String) {
      let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
      guard words.count == 6, let head = UInt64(words[0]), let fed = UInt64(words[1]), let listed = Int(words[2]) else {
        return nil
      }
      (self.head, self.fed, self.listed) = (head, fed, listed)
      (isFollower, isDecided, failure) = (words[3] == "true", words[4] == "true", words[5])
    }
  }

  let name: String
  let ledger: ServerLedger
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// - launcher: Words before the program, such as those that enter a network namespace.
  init(
    _ name: String, store: String, ledgers: String, patience: Duration, database: String, launcher: [String] = []
  ) throws {
    self.name = name
    ledger = ServerLedger("\(ledgers)/\(name).ledger")
    let milliseconds = patience.components.seconds * 1_000 + patience.components.attoseconds / 1_000_000_000_000_000
    let words = launcher + [Self.path, store, name, ledger.path, "\(milliseconds)", database]
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { kill() }

  /// Beside the test bundle.
  private static let path: String = {
    let test = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (test as NSString).deletingLastPathComponent + "/SongServer"
  }()

  var isRunning: Bool { process.isRunning }

  func signal(_ number: Int32) { if process.isRunning { Foundation.kill(process.processIdentifier, number) } }

  /// Ends the process at once.
  func kill() {
    signal(SIGKILL)
    process.waitUntilExit()
  }

  private func ask(_ command: String) throws -> String {
    input.fileHandleForWriting.write(Data((command + "\n").utf8))
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    throw ended
  }

  private var ended: TestServer.Failure {
    TestServer.Failure(description: "\(name) cannot go on: \(ledger.failures.first ?? "it has ended")")
  }

  func report() throws -> Report {
    let line = try ask("state")
    guard let report = Report(line) else { throw TestServer.Failure(description: "\(name) says '\(line)'") }
    return report
  }

  /// Ends the saves.
  func rest() throws { _ = try ask("rest") }

  /// Closes the store, and ends.
  func quit() throws {
    input.fileHandleForWriting.write(Data("quit\n".utf8))
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw ended }
  }

  /// Throws if the server cannot go on.
  func check() throws {
    if !process.isRunning || !ledger.failures.isEmpty { throw ended }
  }
}
