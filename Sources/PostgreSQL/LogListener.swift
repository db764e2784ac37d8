#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseCore
import Synchronization

/// The session that notifies the other servers, and gets their notifications.
///
/// `NOTIFY` waits for a lock of the whole database until its commit is complete, which includes the standby. So it has
/// a separate session, whose commits do not wait.
final class LogListener: Sendable {
  private struct State {
    var streams: [AsyncStream<Void>.Continuation] = []
    var isNotifyDue = false
    var phase = Phase.connecting
  }

  private enum Phase {
    case connecting
    case listening
    /// The session was lost, and new streams end at once.
    case lost
  }

  /// The part that the thread has, so that it does not keep the listener.
  private final class Listening: Sendable {
    let state = Mutex(State())

    func yield() {
      state.withLock { state in
        state.streams.removeAll { stream in
          if case .terminated = stream.yield() { true } else { false }
        }
      }
    }

    func finish() {
      let streams = state.withLock { state in
        state.phase = .lost
        defer { state.streams = [] }
        return state.streams
      }
      for stream in streams { stream.finish() }
    }

    private func takeNotify() -> Bool {
      state.withLock { state in
        defer { state.isNotifyDue = false }
        return state.isNotifyDue
      }
    }

    /// Connects again after a second, because the other servers wait for notifications.
    func work(_ channel: String, _ host: Int, _ address: LogAddress, _ interrupt: LogInterrupt) {
      while !interrupt.isEnding {
        // The store also finds packets without hints, so no error matters.
        try? listen(channel, host, address, interrupt)
        finish()
        let end = ContinuousClock.now + .seconds(1)
        while !interrupt.isEnding, .now < end { _ = interrupt.wait(-1, for: 0, until: end) }
      }
    }

    private func listen(_ channel: String, _ host: Int, _ address: LogAddress, _ interrupt: LogInterrupt) throws {
      let wire = try LogWire(host, of: address, interrupt)
      _ = try wire.run(LogStatement.listenerSettings)
      if wire.serverVersion >= 140_000 { _ = try wire.run(LogStatement.idleSetting) }
      _ = try wire.run("LISTEN \(channel)")
      // Packets may have arrived before the session listened.
      state.withLock { $0.phase = .listening }
      yield()
      // Further requests become one statement after this one.
      var isNotifying = false
      while true {
        if isNotifying { isNotifying = !wire.hasEnded() }
        if !isNotifying, takeNotify() {
          try wire.begin("NOTIFY \(channel)")
          isNotifying = true
        }
        if try wire.waitForNotification() { yield() }
      }
    }
  }

  private let listening = Listening()
  private let thread: LogThread?

  /// Connects on a new thread.
  init(_ log: UniqueID, _ host: Int, of address: LogAddress) {
    let listening = listening
    let channel = "reprise_" + log.description.filter { $0 != "-" }
    thread = LogThread { listening.work(channel, host, address, $0) }
    if thread == nil { listening.finish() }
  }

  deinit { end() }

  /// The stream has a first element as soon as the session listens, and ends with the session.
  func add(_ stream: AsyncStream<Void>.Continuation) {
    let isLost = listening.state.withLock { state in
      if state.phase != .lost { state.streams.append(stream) }
      if state.phase == .listening { stream.yield() }
      return state.phase == .lost
    }
    if isLost { stream.finish() }
  }

  /// Notifies the other servers soon.
  func notify() {
    listening.state.withLock { $0.isNotifyDue = true }
    thread?.wake()
  }

  func end() {
    thread?.end()
    listening.finish()
  }

  func join() async { await thread?.join() }
}
#endif
