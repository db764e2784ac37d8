#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#else
import Darwin
#endif

/// A process that this one started.
struct ChildProcess {
  enum End: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  let identifier: pid_t

  /// Starts a program, searched for in `PATH`. It inherits the environment and the open files, with `output` in place
  /// of the standard output.
  static func start(
    _ program: String, _ arguments: [String], output: Int32? = nil
  ) throws(DemoError) -> ChildProcess {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
      posix_spawn_file_actions_addclose(&actions, output)
    }
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let code = posix_spawnp(&identifier, program, &actions, nil, words, environ)
    guard code == 0 else { throw .system("starting \(program)", code) }
    return ChildProcess(identifier: identifier)
  }

  /// Starts a program and returns a file descriptor to read its output from.
  static func reading(
    from program: String, _ arguments: [String]
  ) throws(DemoError) -> (process: ChildProcess, output: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("making a pipe", errno) }
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    defer { _ = close(ends[1]) }
    do throws(DemoError) {
      return (try start(program, arguments, output: ends[1]), ends[0])
    } catch {
      _ = close(ends[0])
      throw error
    }
  }

  /// Waits until it ends.
  func wait() -> End {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 { if errno != EINTR { return .exited(-1) } }
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
  }

  /// Kills this process: no handler runs, no buffer is flushed.
  static func killSelf() -> Never {
    kill(getpid(), SIGKILL)
    while true { pause() }
  }

  /// The program that this process runs.
  static var ownProgram: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    #if canImport(Darwin)
    var size = UInt32(path.count)
    guard _NSGetExecutablePath(&path, &size) == 0 else { return CommandLine.arguments[0] }
    #else
    guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { return CommandLine.arguments[0] }
    #endif
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
