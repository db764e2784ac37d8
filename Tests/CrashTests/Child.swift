import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A process of the program RepriseCrashChild, playing one role in one store. It says line by line what it did, and
/// what it said before it was killed is still heard.
///
/// Spawned without Foundation's `Process`, which costs more than the child itself; several may be spawned at a time.
final class Child {
  let process: pid_t
  private let output: Lines
  private var ending: Ending?

  enum Ending: Equatable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    /// - Parameter status: As `waitpid` gives it.
    init(_ status: Int32) {
      self = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .signalled(status & 0x7F)
    }

    var description: String {
      switch self {
      case .exited(let status): "exited with status \(status)"
      case .signalled(let signal): "died of signal \(signal)"
      }
    }
  }

  struct CannotSpawn: Error {
    let program: String
    let code: Int32
  }

  /// - Parameter launcher: A program that runs the words behind it.
  convenience init(
    _ role: String, _ path: String, _ values: KeyValuePairs<String, String> = [:], through launcher: [String] = []
  ) throws {
    let lines = try Lines()
    defer { lines.closeInput() }
    try self.init(role, path, values, through: launcher, into: lines)
  }

  /// - Parameter lines: What the child says goes there, maybe with what others say.
  init(
    _ role: String, _ path: String, _ values: KeyValuePairs<String, String>, through launcher: [String] = [],
    into lines: Lines
  ) throws {
    let words = launcher + [Self.program, role, path] + values.map { "\($0)=\($1)" }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, lines.input, 1)
    // What a crash prints goes nowhere: its signal says enough, and a backtrace takes longer than many tests.
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments = words.map { strdup($0) } + [nil]
    var environment =
      ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      .map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process = pid_t()
    let code = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &environment)
    guard code == 0 else { throw CannotSpawn(program: words[0], code: code) }
    self.process = process
    self.output = lines
  }

  deinit { kill() }

  /// Beside the test bundle.
  private static let program: String = {
    #if canImport(Darwin)
    let folder = Bundle(for: Child.self).bundleURL.deletingLastPathComponent().path
    #else
    let test = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = (test as NSString).deletingLastPathComponent
    #endif
    return folder + "/RepriseCrashChild"
  }()

  /// The next line; `nil` when the child has ended, or if none comes until the deadline.
  func line(until deadline: Date = .distantFuture) -> String? { output.next(until: deadline) }

  /// All lines until the child ends.
  func lines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  /// Ends the child at once, wherever it is.
  func kill() {
    guard ending == nil else { return }
    _ = systemKill(process, SIGKILL)
    end()
  }

  /// Sends the child a signal.
  func tell(_ signal: Int32) { if ending == nil { _ = systemKill(process, signal) } }

  /// Holds the child where it is.
  func stop() { if ending == nil { _ = systemKill(process, SIGSTOP) } }

  /// Waits until the child has stopped itself; false if it ends instead.
  func hasStopped() -> Bool {
    if ending != nil { return false }
    var status: Int32 = 0
    var found = waitpid(process, &status, WUNTRACED)
    while found < 0 && errno == EINTR { found = waitpid(process, &status, WUNTRACED) }
    if status & 0xFF == 0x7F { return true }
    ending = Ending(status)
    return false
  }

  /// Lets a child that was stopped go on.
  func proceed() { if ending == nil { _ = systemKill(process, SIGCONT) } }

  /// Waits for the child's end.
  @discardableResult
  func end() -> Ending {
    end(waiting: true)!
  }

  /// The child's end; `nil` if it has not ended, and is not to be waited for.
  func end(waiting: Bool) -> Ending? {
    if let ending { return ending }
    var status: Int32 = 0
    var found = waitpid(process, &status, waiting ? 0 : WNOHANG)
    while found < 0 && errno == EINTR { found = waitpid(process, &status, waiting ? 0 : WNOHANG) }
    if found == 0 { return nil }
    ending = Ending(status)
    return ending
  }
}

private func systemKill(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }
