#if Command
import Foundation
import RepriseSystem

/// The program that shows long output.
enum Pager {
  /// The command of `PAGER`, or `less`. `nil` for no pager, or for one that the machine lacks.
  static var command: String? {
    let wanted = ProcessInfo.processInfo.environment["PAGER"] ?? "less"
    let program = wanted.split(separator: " ").first.map(String.init) ?? "cat"
    return program == "cat" || !isInstalled(program) ? nil : wanted
  }

  private static func isInstalled(_ program: String) -> Bool {
    if program.contains("/") { return access(program, X_OK) == 0 }
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { access("\($0)/\(program)", X_OK) == 0 }
  }
}

/// A pager that runs, and reads the output of the command from a pipe.
final class PagerProcess: Sendable {
  private let process: pid_t
  /// The pipe. `nil` after the command has closed it.
  private let pipe: Guarded<Int32?>
  private let isStopped = Guarded(false)

  /// Starts a command for the shell. `nil` if the system refuses it, with the reason in `errno`.
  init?(_ command: String) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    let texts: [String] = ["sh", "-c", command]
    var words: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    // The programs of a pager end in their own way, and do not inherit that this command ignores the signal.
    signal(SIGPIPE, SIG_DFL)
    defer { signal(SIGPIPE, SIG_IGN) }
    var process: pid_t = 0
    let code = posix_spawn(&process, "/bin/sh", &actions, nil, words, environ)
    close(ends[0])
    guard code == 0 else {
      close(ends[1])
      errno = code
      return nil
    }
    self.process = process
    pipe = Guarded(ends[1])
  }

  /// The pipe, for the rows.
  var input: Int32 { pipe.withLock { $0 ?? -1 } }

  /// Whether a signal has arrived. Then the pager gets no more rows.
  var hasStopped: Bool { isStopped.withLock { $0 } }

  /// Ends the output, and returns when the user has ended the pager.
  func stopAndWait() {
    isStopped.withLock { $0 = true }
    pipe.withLock { pipe in
      // The command may be writing. Its pipe stays a valid file, and the pager sees the end of the output.
      guard let pipe, case let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC), nothing >= 0 else { return }
      dup2(nothing, pipe)
      _ = fcntl(pipe, F_SETFD, FD_CLOEXEC)
      close(nothing)
    }
    var information = siginfo_t()
    // The process stays for `wait()`.
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Ends the output with `closing`, which closes the pipe, and waits for the pager. After a signal, this never
  /// returns: the signal ends the command.
  func wait(_ closing: () -> Void) {
    pipe.withLock { $0 = nil }
    closing()
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    while hasStopped { sleep(1) }
  }
}
#endif
