import Foundation
import RepriseCore

/// A server for the tests, in a folder of its own, reached through a socket there. It ends with this process, and the
/// folder with the last reference.
final class TestServer {
  private let folder: String
  private var process: Process?

  /// Where the server is, in libpq's words.
  var connection: String { "host=\(folder) user=reprise dbname=postgres" }

  /// No reason to skip a test: whoever cannot install a server leaves this target out (`.ci/plug-in-tests`).
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init() throws {
    // The path of a socket may have about a hundred bytes.
    folder = "/tmp/reprise-pg-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if getuid() == 0 { chown(folder, 65_534, 65_534) }
    chmod(folder, 0o700)
    try run("initdb", ["-D", folder + "/data", "-U", "reprise", "-A", "trust", "--no-sync", "-E", "UTF8"]).wait()
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static var programs: String? {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let folders = versions.sorted().reversed().map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/bin", "/usr/bin"]
    return folders.first {
      FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
        && FileManager.default.isExecutableFile(atPath: $0 + "/postgres")
    }
  }

  func start() throws {
    let arguments = ["-D", folder + "/data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
    process = try run("postgres", arguments).process
    while (try? execute("SELECT 1")) == nil {
      guard process?.isRunning == true else { throw Failure(description: "the server does not start") }
      usleep(20_000)
    }
  }

  /// At once, as by a crash.
  func stop() {
    process?.interrupt()
    process?.waitUntilExit()
    process = nil
  }

  /// As another program does: with psql.
  func execute(_ sql: String) throws {
    let words = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", connection, "-c", sql]
    let psql = try run("psql", words)
    psql.process.waitUntilExit()
    if psql.process.terminationStatus != 0 { throw CocoaError(.executableLoad) }
  }

  private struct Running {
    let process: Process
    func wait() throws {
      process.waitUntilExit()
      if process.terminationStatus != 0 { throw Failure(description: "initdb ended with \(process.terminationStatus)") }
    }
  }

  private func run(_ program: String, _ arguments: [String]) throws -> Running {
    Running(process: try Self.launch(program, arguments))
  }

  /// Starts a program of PostgreSQL. The server refuses to run as the superuser.
  ///
  /// - launcher: Words before the program, such as those that enter a network namespace.
  static func launch(
    _ program: String, _ arguments: [String], output: Pipe? = nil, through launcher: [String] = []
  ) throws -> Process {
    guard let programs else {
      throw Failure(description: "PostgreSQL's server is not installed: apt install postgresql")
    }
    let process = Process()
    let isRoot = getuid() == 0
    let path = programs + "/" + program
    let user = isRoot ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let words = launcher + user + [path] + arguments
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    if let output { process.standardOutput = output } else { process.standardOutput = FileHandle.nullDevice }
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }
}
