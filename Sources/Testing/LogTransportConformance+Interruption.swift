import RepriseCore
import RepriseSharing
import RepriseSystem

/// When something fails: after the servers have begun to append, and before they have ended.
private final class Moment: Sendable {
  private let state = Guarded((isDue: false, hasBegun: false))

  var isDue: Bool { state.withLock(\.isDue) }
  var hasBegun: Bool { state.withLock(\.hasBegun) }
  func comeDue() { state.withLock { $0.isDue = true } }
  func begin() { state.withLock { $0.hasBegun = true } }
}

extension LogTransportConformance {
  /// Three servers append, and one follows. Something fails meanwhile.
  func checkInterruption() async throws {
    let log = UniqueID()
    let start = try await server(log).last
    let moment = Moment()
    if interrupt == nil { moment.begin() }
    let (made, seen) = try await withThrowingTaskGroup(of: (made: [UniqueID], seen: [UniqueID]).self) { group in
      for number in 0..<3 { group.addTask { (try await self.appendAll(log, number, moment), []) } }
      group.addTask { ([], try await self.follow(log, after: start)) }
      if let interrupt {
        group.addTask {
          while !moment.isDue { try await Task.sleep(for: .milliseconds(1)) }
          moment.begin()
          try await interrupt()
          return ([], [])
        }
      }
      let none: (made: [[UniqueID]], seen: [UniqueID]) = ([], [])
      return try await group.reduce(into: none) { result, part in
        result.0.append(part.made)
        result.1 += part.seen
      }
    }
    let end = try await server(log)
    let kept = try await readAll(end.transport, after: start, limit: 256, .interruption)
    try requireOrder(kept, after: start, .interruption)
    let ids = kept.map(\.packet.id)
    guard Set(ids).count == ids.count, Set(ids) == Set(made.joined()) else {
      throw failure(
        .interruption, "servers know that \(made.joined().count) packets are in the log, and it has \(ids.count).")
    }
    guard seen == ids else {
      throw failure(.interruption, "a server that follows has seen packets that are not in the log.")
    }
  }

  private var stuck: String { "a server cannot go on after a packet that the log had." }

  /// Connects, and again while the system cannot be reached.
  private func connect(_ transport: any LogTransport, _ log: UniqueID) async throws -> LogStanding {
    while true {
      do {
        return try await transport.attach(to: log)
      } catch {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Appends packets as a server does, and returns their IDs.
  private func appendAll(_ log: UniqueID, _ number: Int, _ moment: Moment) async throws -> [UniqueID] {
    let transport = try await makeTransport()
    var numbers = SeededGenerator(seed: seed &+ UInt64(number))
    var place = try await connect(transport, log).last
    var made: [UniqueID] = []
    while made.count < rounds {
      if made.count == rounds / 3 { moment.comeDue() }
      while made.count == rounds / 2, !moment.hasBegun { try await Task.sleep(for: .milliseconds(1)) }
      let filler = [UInt8](repeating: 7, count: Int.random(in: 0..<600, using: &numbers))
      let packet = LogPacket(after: place.packet, in: log, filler: filler)
      switch try await append(packet, to: log, after: place, transport) {
      case .appended(let next), .duplicate(let next):
        made.append(packet.id)
        place = next
      case .behind(let page): place = page.packets.last?.place ?? place
      case .beforeFirst, .diverged, .unknown:
        throw failure(.interruption, stuck)
      }
    }
    await transport.detach()
    return made
  }

  /// Appends a packet until the outcome is known.
  private func append(
    _ packet: LogPacket, to log: UniqueID, after place: LogPlace, _ transport: any LogTransport
  ) async throws -> AppendAnswer {
    while true {
      do {
        let answer = try await transport.append(packet, after: place)
        if case .unknown = answer { continue }
        return answer
      } catch {
        try await Task.sleep(for: .milliseconds(20))
        _ = try await connect(transport, log)
      }
    }
  }

  /// Reads packets until all servers have appended theirs, and returns their IDs.
  private func follow(_ log: UniqueID, after start: LogPlace) async throws -> [UniqueID] {
    let transport = try await makeTransport()
    _ = try await connect(transport, log)
    var (place, seen) = (start, [UniqueID]())
    while seen.count < 3 * rounds {
      do {
        switch try await transport.read(after: place, limit: 10) {
        case .packets(let page):
          seen += page.packets.map(\.packet.id)
          place = page.packets.last?.place ?? place
          if page.packets.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        case .beforeFirst, .diverged:
          throw failure(.interruption, stuck)
        }
      } catch let error as LogTransportFailure {
        throw error
      } catch {
        try await Task.sleep(for: .milliseconds(20))
        _ = try await connect(transport, log)
      }
    }
    await transport.detach()
    return seen
  }
}
