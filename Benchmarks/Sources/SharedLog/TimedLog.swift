import Reprise
import RepriseSharing
import Synchronization

/// A transport that measures the appends of another one. So the engine's share of a save is known for each save.
final class TimedLog: LogTransport {
  private let base: any LogTransport
  private let times = Mutex<[Duration]>([])

  init(_ base: any LogTransport) { self.base = base }

  /// The durations of the appends since the last call.
  func takeTimes() -> [Duration] {
    times.withLock { times in
      defer { times = [] }
      return times
    }
  }

  func attach(to log: UniqueID) async throws -> LogStanding { try await base.attach(to: log) }

  func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer {
    let start = ContinuousClock.now
    let answer = try await base.append(packet, after: place)
    let time = ContinuousClock.now - start
    times.withLock { $0.append(time) }
    return answer
  }

  func read(after place: LogPlace, limit: Int) async throws -> LogReading {
    try await base.read(after: place, limit: limit)
  }

  func hints() -> AsyncStream<Void> { base.hints() }
  func takeTurn() async throws -> Bool { try await base.takeTurn() }
  func endTurn() async throws { try await base.endTurn() }
  func release(upTo place: LogPlace) async throws { try await base.release(upTo: place) }
  func detach() async { await base.detach() }
}
