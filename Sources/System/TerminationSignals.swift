#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Runs code of a process between a terminating signal and the end of the process.
///
/// A signal handler may call next to nothing, so it only writes to a pipe, and a thread does the work.
package enum TerminationSignals {
  private struct State {
    var bodies: [@Sendable () -> Void] = []
    var isInstalled = false
    /// The former action of each signal.
    var former: [(signal: Int32, action: FormerAction)] = []
  }

  // Safe: the address of a function is a value.
  private struct FormerAction: @unchecked Sendable {
    let handler: (@convention(c) (Int32) -> Void)?
  }

  private static let state = Guarded(State())

  /// Where the handler writes, and the process that installed it. Constants, so that they need no initialisation: the
  /// handler reads them. Written once, before the handler is installed.
  nonisolated(unsafe) private static var input: Int32 = -1
  nonisolated(unsafe) private static var owner: pid_t = -1
  /// Whether further signals do nothing until the bodies have returned. Read by the handler.
  nonisolated(unsafe) private static var isPatient = false
  /// In process 1, the signals that have arrived, a bit each. Used by the handler alone.
  nonisolated(unsafe) private static var arrivals: UInt32 = 0

  /// Runs `body` on a thread when SIGTERM, SIGHUP or SIGINT arrives, unless the signal is ignored. It runs after the
  /// bodies of earlier calls. When all have returned, the signal's former action follows. A second signal has its
  /// former action at once.
  ///
  /// In process 1 of a container, the kernel ignores a signal without a handler. If such a signal would end any other
  /// process, it ends this one with the status 128 + its number. Shells use this status for a process that a signal
  /// ended.
  package static func onArrival(_ body: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.bodies.append(body)
      if !state.isInstalled { state.isInstalled = install(&state) }
    }
  }

  /// From now on, a second signal does nothing while the bodies run, so that they can wait for another process.
  package static func ignoreLaterSignals() { isPatient = true }

  private static func install(_ state: inout State) -> Bool {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let output = ends[0]
    (input, owner) = (ends[1], getpid())
    guard SystemThread.start({ serve(output) }) else {
      for end in ends { close(end) }
      return false
    }
    for number in [SIGTERM, SIGHUP, SIGINT] {
      let former = signal(number, arrived)
      if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      } else {
        state.former.append((number, FormerAction(handler: former)))
      }
    }
    return true
  }

  private static let arrived: @convention(c) (Int32) -> Void = { number in
    let code = errno
    let process = getpid()
    if process == 1, process == owner {
      // The kernel would ignore the second one.
      if arrivals & 1 << UInt32(number) != 0, !isPatient { _exit(128 + number) }
      arrivals |= 1 << UInt32(number)
    } else {
      signal(number, isPatient ? SIG_IGN : SIG_DFL)
    }
    if process == owner {
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(input, &byte, 1)
    } else {
      // A forked child has no thread, and the pipe is its parent's.
      kill(process, number)
    }
    errno = code
  }

  private static func serve(_ output: Int32) {
    var byte: UInt8 = 0
    while true {
      let count = read(output, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return }
      let number = Int32(byte)
      let (bodies, former) = state.withLock { state in
        (state.bodies, state.former.first { $0.signal == number }?.action)
      }
      for body in bodies { body() }
      if getpid() == 1, former?.handler == nil { _exit(128 + number) }
      signal(number, former?.handler)
      kill(getpid(), number)
    }
  }
}
