import RepriseObjectModel
import RepriseSharing
import RepriseSystem

/// A shared log in memory. A test can lose answers, set the log back, and release packets.
final class MemoryLog: Sendable {
  fileprivate struct Packets {
    var epoch: UInt64 = 1
    /// Released packets, of which only the IDs are kept.
    var released: [UniqueID: UInt64] = [:]
    /// The place before the first kept packet.
    var first: (sequence: UInt64, packet: UniqueID?) = (0, nil)
    var kept: [(sequence: UInt64, packet: LogPacket)] = []

    var last: (sequence: UInt64, packet: UniqueID?) { kept.last.map { ($0.sequence, $0.packet.id) } ?? first }
  }

  private struct State {
    var logs: [UniqueID: Packets] = [:]
    var listeners: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Guarded(State())

  /// Makes an empty log.
  init() {}

  /// A new connection, as a server makes one.
  func connection() -> MemoryLogConnection { MemoryLogConnection(self) }

  /// Loses the packets of all logs behind a number, as the restoration of a backup does. The epoch stays the same, as
  /// if the operator had forgotten to raise it.
  func forget(after sequence: UInt64) {
    state.withLock { state in
      for id in state.logs.keys { state.logs[id]!.kept.removeAll { $0.sequence > sequence } }
    }
  }

  /// Raises the epoch of all logs, as an operator does after the restoration of a backup.
  func raiseEpoch() {
    state.withLock { state in for id in state.logs.keys { state.logs[id]!.epoch += 1 } }
  }

  // MARK: Connections

  func attach(to log: UniqueID) -> LogStanding {
    state.withLock { state in
      let packets = state.logs[log, default: Packets()]
      state.logs[log] = packets
      return LogStanding(first: packets.place(packets.first), last: packets.place(packets.last))
    }
  }

  /// - Parameter deduplicates: Whether the log finds a packet that it has. Without this, it breaks its promise.
  func append(
    _ packet: LogPacket, to log: UniqueID, after place: LogPlace, deduplicates: Bool = true
  ) -> AppendAnswer {
    let (answer, listeners) = state.withLock { state in
      let answer = state.logs[log, default: Packets()].append(packet, after: place, deduplicates)
      if case .appended = answer { return (answer, state.listeners) }
      return (answer, [])
    }
    for listener in listeners { listener.yield() }
    return answer
  }

  func read(_ log: UniqueID, after place: LogPlace, limit: Int) -> LogReading {
    state.withLock { state in state.logs[log, default: Packets()].read(after: place, limit: limit) }
  }

  func release(_ log: UniqueID, upTo place: LogPlace) {
    state.withLock { state in state.logs[log]?.release(upTo: place) }
  }

  func listen(_ listener: AsyncStream<Void>.Continuation) { state.withLock { $0.listeners.append(listener) } }
}

extension MemoryLog.Packets {
  fileprivate func place(_ place: (sequence: UInt64, packet: UniqueID?)) -> LogPlace {
    LogPlace(epoch: epoch, sequence: place.sequence, packet: place.packet)
  }

  /// The number of kept packets up to a place. `nil` if the log has no such place.
  private func index(behind place: LogPlace) -> Int? {
    if place == self.place(first) { return 0 }
    guard place.epoch == epoch, let index = kept.firstIndex(where: { $0.sequence == place.sequence }),
      kept[index].packet.id == place.packet
    else { return nil }
    return index + 1
  }

  /// Whether the place was released.
  private func isReleased(_ place: LogPlace) -> Bool { place.epoch == epoch && place.sequence < first.sequence }

  fileprivate mutating func append(
    _ packet: LogPacket, after place: LogPlace, _ deduplicates: Bool
  ) -> AppendAnswer {
    if deduplicates,
      let sequence = released[packet.id] ?? kept.first(where: { $0.packet.id == packet.id })?.sequence
    {
      return .duplicate(self.place((sequence, packet.id)))
    }
    if isReleased(place) { return .beforeFirst(self.place(first)) }
    guard let index = index(behind: place) else { return .diverged }
    guard index == kept.count else { return .behind(page(from: index, limit: 256)) }
    let sequence = last.sequence + 1
    kept.append((sequence, packet))
    return .appended(self.place((sequence, packet.id)))
  }

  fileprivate func read(after place: LogPlace, limit: Int) -> LogReading {
    if isReleased(place) { return .beforeFirst(self.place(first)) }
    guard let index = index(behind: place) else { return .diverged }
    return .packets(page(from: index, limit: limit))
  }

  private func page(from index: Int, limit: Int) -> LogPage {
    let end = min(kept.count, index + max(1, limit))
    return LogPage(
      kept[index..<end].map { (self.place(($0.sequence, $0.packet.id)), $0.packet) }, hasMore: end < kept.count)
  }

  fileprivate mutating func release(upTo place: LogPlace) {
    guard let index = index(behind: place), index > 0 else { return }
    for (sequence, packet) in kept[..<index] { released[packet.id] = sequence }
    first = (place.sequence, place.packet)
    kept.removeFirst(index)
  }
}
