import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The connection of a task to a shared log.
struct SharedLogConnection {
  var isAttached = false
  /// Whether this process follows the shared log for the store.
  var isFollower = false
  /// The number of failures since the connection worked.
  var failures = 0
  var turns = Turns()
}

/// The shared log does not know whether it has the packet.
private struct UnknownAnswer: Error, CustomStringConvertible {
  var description: String { "the shared log did not say whether it has the packet" }
}

extension SharedLog {
  /// Does all work that is due.
  ///
  /// - Returns: The wait before the work is tried again. `nil` if nothing failed.
  func work(_ replica: Replica, _ connection: inout SharedLogConnection) async -> Duration? {
    do {
      if failure != nil || Task.isCancelled { return nil }
      try await attach(replica, &connection)
      while !Task.isCancelled {
        if let next = state.withLock({ $0.appends.first }) {
          try await send(next, replica, &connection)
          state.withLock { state in if state.appends.first === next { state.appends.removeFirst() } }
        } else if let release = takeRelease() {
          try await perform(release)
        } else if takeFollow(), isFollower(&connection) {
          try await follow(replica)
        } else {
          break
        }
      }
      try await endTurnIfOver(&connection)
      connection.failures = 0
      state.withLock { $0.problem = nil }
      return nil
    } catch let error as SharedLogError {
      return await end(error)
    } catch let error as PacketError {
      return await end(.packet(error))
    } catch {
      // After an unknown answer, the connection and the turn may still be there.
      if !(error is UnknownAnswer) {
        connection.isAttached = false
        connection.turns.lose()
      }
      connection.failures += 1
      state.withLock { state in
        state.problem = "\(error)"
        state.isFollowDue = true
      }
      return min(options.retries.last, options.retries.first * (1 << min(connection.failures - 1, 16)))
    }
  }

  private func takeFollow() -> Bool {
    state.withLock { state in
      defer { state.isFollowDue = false }
      return state.isFollowDue
    }
  }

  /// Gives up the shared log for good. Ends the connection and its turn.
  private func end(_ error: SharedLogError) async -> Duration? {
    // The store was closed meanwhile, and may be open again.
    if Task.isCancelled { return nil }
    let (appends, releases) = state.withLock { state in
      state.failure = error
      defer { (state.appends, state.releases) = ([], []) }
      return (state.appends, state.releases)
    }
    for pending in appends { pending.fail(.sharing(path: pending.path, reason: error)) }
    for release in releases { release.done.resume(throwing: error) }
    leaveClaim()
    state.withLock(\.run?.hints)?.cancel()
    await transport.detach()
    return nil
  }

  private func attach(_ replica: Replica, _ connection: inout SharedLogConnection) async throws {
    if connection.isAttached { return }
    await detaching.withLock(\.self)?.value
    let place = try replica.place()
    try replica.require(try await transport.attach(to: replica.store.logID), place)
    listen()
    connection.isAttached = true
  }

  /// Appends a packet. Throws if the outcome is not known yet. Then the packet stays the first one.
  private func send(
    _ pending: PendingAppend, _ replica: Replica, _ connection: inout SharedLogConnection
  ) async throws {
    let wasSent = pending.isSent
    if wasSent, WakeUp.now() - pending.birth > Self.longestResending {
      return pending.fail(.unavailable(pending.path, "it did not answer for a day"))
    }
    if !wasSent, try await takeTurnIfDue(&connection) { try await follow(replica, whileAppending: true) }
    // Packets were applied since the rehearsal. If this packet may be among them, the log knows.
    if !wasSent, try replica.place() != pending.place { return lostRace(pending, &connection) }
    guard pending.willSend() else { return }
    let answer: AppendAnswer
    do {
      answer = try await transport.append(pending.packet, after: pending.place)
    } catch {
      if !wasSent { pending.didNotSend() }
      // The connection works, and would refuse the packet each time.
      if case PacketError.tooLarge = error, !wasSent {
        return pending.fail(
          .sharing(path: pending.path, reason: SharedLogError.packet(.tooLarge(bytes: pending.packet.bytes.count))))
      }
      throw error
    }
    switch answer {
    case .behind: pending.didNotSend()
    case .beforeFirst:
      if !wasSent { pending.didNotSend() }
      // The store has gone on since the packet was made.
      if try replica.place() != pending.place {
        if !wasSent { return lostRace(pending, &connection) }
        return pending.fail(.sharing(path: pending.path, reason: SharedLogError.released))
      }
    case .diverged: if !wasSent { pending.didNotSend() }
    case .appended, .duplicate, .unknown: break
    }
    switch try replica.take(answer, to: pending.packet, advancing: advance) {
    case .applied(let last):
      count { counts in
        counts.appended += 1
        counts.upToDate = WakeUp.now()
      }
      connection.turns.didAppend()
      // The writer announces its own saves.
      if !pending.end(.applied(last)) { headMoved() }
    case .behind(let hasMore):
      if hasMore { state.withLock { $0.isFollowDue = true } }
      lostRace(pending, &connection)
      headMoved()
    case .unknown:
      count { $0.unknownAnswers += 1 }
      throw UnknownAnswer()
    }
  }

  /// The shared log knows the IDs of its packets for seven days at least. So a packet that is sent again within a day
  /// is certainly found.
  private static let longestResending: UInt64 = 86_400_000_000_000

  private func lostRace(_ pending: PendingAppend, _ connection: inout SharedLogConnection) {
    count { $0.lostRaces += 1 }
    connection.turns.didLoseRace()
    pending.end(.behind)
  }

  private func count(_ body: (inout Counts) -> Void) { state.withLock { body(&$0.counts) } }

  /// - Parameter isAppending: Whether to go on although a packet waits to be sent.
  private func follow(_ replica: Replica, whileAppending isAppending: Bool = false) async throws {
    var hasMore = true
    while hasMore, isAppending || state.withLock(\.appends.isEmpty), !Task.isCancelled {
      switch try await transport.read(after: try replica.place(), limit: 256) {
      case .packets(let page):
        hasMore = page.hasMore
        let applied = try replica.follow(page.packets, advancing: advance).count
        count { counts in
          counts.followed += applied
          if !page.hasMore { counts.upToDate = WakeUp.now() }
        }
        if applied > 0 { headMoved() }
      case .beforeFirst: throw SharedLogError.released
      case .diverged: throw SharedLogError.rolledBack
      }
    }
    if hasMore { state.withLock { $0.isFollowDue = true } }
  }

  /// Brings the projections of the store up to date, in the commit that applies packets.
  private func advance(
    to head: Position, _ schema: StoredSchema, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    try state.withLock(\.store.store)?.advanceProjections(to: head, schema, transaction)
  }

  private func headMoved() { _ = try? state.withLock(\.store.store)?.refreshedHead() }
}
