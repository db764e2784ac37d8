import RepriseObjectModel
import RepriseSharing
import RepriseSystem
import RepriseTesting
import XCTest

/// A conformance suite that finds no broken promise.
final class LogTransportConformanceTests: XCTestCase {
  func testTheLogInMemoryKeepsAllPromises() async throws {
    let log = MemoryLog()
    let connections = Guarded<[MemoryLogConnection]>([])
    try await LogTransportConformance {
      for connection in connections.withLock(\.self) {
        connection.loseNextAnswer(.afterAppending)
        connection.loseNextAnswer(.whileConnecting)
        connection.loseNextAnswer(.beforeAppending)
      }
    } makeTransport: {
      let connection = log.connection()
      connections.withLock { $0.append(connection) }
      return connection
    }.run()
  }

  func testEachBrokenPromiseIsFound() async throws {
    for bug in FaultyLog.Bug.allCases {
      let log = MemoryLog()
      let fuse = Fuse()
      do {
        try await LogTransportConformance(seed: 7) {
          fuse.light()
        } makeTransport: {
          FaultyLog(log.connection(), bug, fuse)
        }.run()
        XCTFail("\(bug) was not found")
      } catch let failure as LogTransportFailure {
        XCTAssertEqual(failure.check, bug.finding.check, "\(bug)")
        XCTAssertEqual(failure.reason, bug.finding.reason, "\(bug)")
        XCTAssertEqual(
          failure.description,
          "The transport breaks the promise '\(failure.check.rawValue)': \(failure.reason) Use the seed 7 to reproduce "
            + "this.")
      }
    }
  }
}

/// Some bugs show once, while several servers append.
private final class Fuse: Sendable {
  private let isLit = Guarded(false)

  func light() { isLit.withLock { $0 = true } }

  func goesOff() -> Bool {
    isLit.withLock { isLit in
      defer { isLit = false }
      return isLit
    }
  }
}

/// An adapter that breaks one promise.
private final class FaultyLog: LogTransport {
  enum Bug: CaseIterable {
    case acceptsBoth, refusesPackets, forgetsPackets, skipsPackets, hidesPages, hidesPackets, forgetsPlaces
    case ignoresEpochs, releasesAnything, hidesReleases, mixesLogs, staysDetached, losesPackets, dropsPackets, showsMore

    var finding: (check: LogTransportFailure.Check, reason: String) {
      switch self {
      case .acceptsBoth:
        (
          .races,
          """
          two appends after one place got `appended` and `appended`. One must be `appended`. The other one must be \
          `behind`, with exactly the packet that was first.
          """
        )
      case .refusesPackets:
        (.reading, "an append to the end of the log got `diverged`, not `appended` with its place.")
      case .forgetsPackets:
        (
          .duplicates,
          "a packet that was appended again over the same connection got `diverged`, not `duplicate`."
        )
      case .skipsPackets: (.reading, "the packet at 2 does not follow the packet at 0.")
      case .hidesPages: (.reading, "a reading with the limit 1 did not get the packets after 0.")
      case .hidesPackets: (.reading, "the log has 12 packets, and a reading returned 11 or other bytes.")
      case .forgetsPlaces: (.reading, "for a new connection, the last packet is 0, not 12.")
      case .ignoresEpochs:
        (
          .divergence,
          "an append and a reading after a place that the log lacks got `appended` and `packets`, not `diverged`."
        )
      case .releasesAnything: (.release, "a reading with the limit 9 did not get the packets after 0.")
      case .hidesReleases:
        (
          .release,
          """
          after a release of three packets, the log begins after 3. A reading and an append before that got `packets` \
          and `beforeFirst`, not `beforeFirst`.
          """
        )
      case .mixesLogs: (.separation, "an append to the end of the log got `behind`, not `appended` with its place.")
      case .staysDetached:
        (.connection, "a connection that was ended cannot be made again, or begins at another place.")
      case .losesPackets: (.interruption, "a server cannot go on after a packet that the log had.")
      case .dropsPackets: (.interruption, "servers know that 150 packets are in the log, and it has 149.")
      case .showsMore: (.interruption, "a server that follows has seen packets that are not in the log.")
      }
    }
  }

  private let base: MemoryLogConnection
  private let bug: Bug
  private let fuse: Fuse
  private let isDetached = Guarded(false)
  private static let common = UniqueID()

  init(_ base: MemoryLogConnection, _ bug: Bug, _ fuse: Fuse) { (self.base, self.bug, self.fuse) = (base, bug, fuse) }

  private func corrected(_ place: LogPlace) -> LogPlace {
    bug == .ignoresEpochs ? LogPlace(epoch: 1, sequence: place.sequence, packet: place.packet) : place
  }

  func attach(to log: UniqueID) async throws -> LogStanding {
    if bug == .staysDetached, isDetached.withLock(\.self) { throw MemoryLogConnection.Disconnected() }
    let standing = try await base.attach(to: bug == .mixesLogs ? Self.common : log)
    return bug == .forgetsPlaces ? LogStanding(first: standing.first, last: standing.first) : standing
  }

  func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer {
    if bug == .losesPackets, fuse.goesOff() {
      return .appended(LogPlace(epoch: place.epoch, sequence: place.sequence + 1, packet: packet.id))
    }
    let answer = try await base.append(packet, after: corrected(place))
    switch (bug, answer) {
    case (.acceptsBoth, .behind(let page)): return .appended(page.packets[0].place)
    case (.refusesPackets, .appended(let place)) where place.sequence == 10: return .diverged
    case (.forgetsPackets, .duplicate): return .diverged
    default: return answer
    }
  }

  func read(after place: LogPlace, limit: Int) async throws -> LogReading {
    let reading = try await base.read(after: corrected(place), limit: limit)
    guard case .packets(let page) = reading else {
      if bug == .hidesReleases, case .beforeFirst = reading { return .packets(LogPage([], hasMore: false)) }
      return reading
    }
    switch bug {
    case .skipsPackets where page.hasMore:
      guard case .packets(let next) = try await base.read(after: page.packets[0].place, limit: limit) else { break }
      return .packets(next)
    case .hidesPages where page.hasMore: return .packets(LogPage([], hasMore: true))
    case .hidesPackets where page.packets.count == 1 && !page.hasMore:
      return .packets(LogPage([], hasMore: false))
    case .dropsPackets where limit == 256 && fuse.goesOff():
      return .packets(LogPage(page.packets.dropLast(), hasMore: false))
    case .showsMore where !page.packets.isEmpty && page.packets.count < limit && fuse.goesOff():
      let last = page.packets.last?.place ?? place
      return .packets(LogPage(page.packets + [(last, LogPacket(after: nil, in: Self.common))], hasMore: true))
    default: break
    }
    return reading
  }

  func hints() -> AsyncStream<Void> { base.hints() }

  func release(upTo place: LogPlace) async throws {
    var place = place
    if bug == .releasesAnything, case .packets(let page) = try await base.read(after: .beginning(ofEpoch: 1), limit: 2)
    {
      place = page.packets[1].place
    }
    try await base.release(upTo: place)
  }

  func detach() async {
    isDetached.withLock { $0 = true }
    await base.detach()
  }
}
