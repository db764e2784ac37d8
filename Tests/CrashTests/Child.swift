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
  private let output: Int32
  private var unread: [UInt8] = []
  private var ending: Ending?

  enum Ending: Equatable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

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
  init(
    _ role: String, _ path: String, _ values: KeyValuePairs<String, String> = [:], through launcher: [String] = []
  ) throws {
    let words = launcher + [Self.program, role, path] + values.map { "\($0)=\($1)" }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw CannotSpawn(program: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
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
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    // What a crash prints goes nowhere: its signal says enough, and a backtrace takes longer than many tests.
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments = words.map { strdup($0) } + [nil]
    var environment =
      ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      .map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process = pid_t()
    let code = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &environment)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw CannotSpawn(program: words[0], code: code)
    }
    self.process = process
    output = ends[0]
  }

  deinit {
    kill()
    close(output)
  }

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
  func line(until deadline: Date = .distantFuture) -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let left = deadline.timeIntervalSinceNow
      // Rounded down: the last part of a millisecond is waited for by asking again and again.
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, deadline == .distantFuture ? -1 : Int32(max(0, left * 1000)))
      if ready == 0 {
        if left > 0 { continue }
        return nil
      }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return nil }
      unread += chunk[..<count]
    }
  }

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

  /// Waits for the child's end.
  @discardableResult
  func end() -> Ending {
    if let ending { return ending }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let found: Ending = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .signalled(status & 0x7F)
    ending = found
    return found
  }
}

private func systemKill(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }
