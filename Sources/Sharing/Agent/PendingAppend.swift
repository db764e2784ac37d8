import RepriseEventStore
import RepriseSystem

/// A packet that a writer of this process appends to the shared log.
final class PendingAppend: RehearsedPacket {
  private enum Standing {
    /// The packet has not been sent, or is known not to be in the shared log.
    case waiting
    /// The packet may be in the shared log.
    case sent
    /// The writer no longer waits, and the packet is not in the shared log.
    case left
    /// The writer no longer waits, and the packet may be in the shared log.
    case orphaned
    case ended(SharedAppend)
  }

  let packet: LogPacket
  /// When the packet was made, in the time of ``WakeUp``.
  let birth = WakeUp.now()
  /// The place after which the packet is appended.
  let place: LogPlace
  /// The directory of the store.
  let path: String
  private let log: SharedLog
  private let standing = Guarded(Standing.waiting)
  private let wakeUp = WakeUp()

  init(_ packet: LogPacket, after place: LogPlace, of path: String, in log: SharedLog) {
    self.packet = packet
    self.place = place
    self.path = path
    self.log = log
  }

  func append() -> SharedAppend { log.append(self) }

  // MARK: The writer

  /// Blocks the thread until the append has ended, or the writer's patience has. Then the result has the error.
  func wait(until deadline: UInt64, error: () -> StoreError) -> SharedAppend {
    while true {
      let now = WakeUp.now()
      let result = standing.withLock { standing -> SharedAppend? in
        switch standing {
        case .ended(let result): return result
        case .waiting where now >= deadline:
          standing = .left
          return .refused(error())
        case .sent where now >= deadline:
          standing = .orphaned
          return .unknown(opening: error())
        case .waiting, .sent, .left, .orphaned: return nil
        }
      }
      if let result { return result }
      wakeUp.wait(until: deadline)
    }
  }

  // MARK: The connection

  /// Whether the packet may be in the shared log.
  var isSent: Bool {
    standing.withLock { standing in
      switch standing {
      case .sent, .orphaned: true
      case .waiting, .left, .ended: false
      }
    }
  }

  /// False if the writer has given up, and the packet is not in the shared log.
  func willSend() -> Bool {
    standing.withLock { standing in
      if case .waiting = standing { standing = .sent }
      if case .left = standing { return false }
      return true
    }
  }

  /// The shared log has not got the packet.
  func didNotSend() {
    standing.withLock { standing in
      if case .sent = standing { standing = .waiting }
      if case .orphaned = standing { standing = .left }
    }
  }

  /// Returns whether a writer waits for the result.
  @discardableResult func end(_ result: SharedAppend) -> Bool {
    let isAwaited = standing.withLock { standing in
      defer { standing = .ended(result) }
      switch standing {
      case .waiting, .sent: return true
      case .left, .orphaned, .ended: return false
      }
    }
    wakeUp.wake()
    return isAwaited
  }

  /// Ends an append that the connection gives up.
  func fail(_ error: StoreError) { end(isSent ? .unknown(opening: error) : .refused(error)) }
}

extension SharedAppend {
  /// The packet is not in the shared log, for this reason.
  package static func refused(_ error: StoreError) -> SharedAppend {
    guard case .sharing(_, SharedLogError.unavailable(let reason)) = error else {
      return .refused(.store(error), opening: error)
    }
    return .refused(.unavailable(reason: reason), opening: error)
  }
}
