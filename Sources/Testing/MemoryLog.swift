import RepriseCore
import RepriseSharing
import RepriseSystem

/// A shared log in memory, for tests of programs that share a store. Nothing survives the process.
///
/// ```swift
/// let log = MemoryLog()
/// let one = try await Store.open(first, for: Item.self, sharing: SharedLog(log.connection()))
/// try await StoreMaintenance.makeSeed(of: one, at: second)
/// let two = try await Store.open(second, for: Item.self, sharing: SharedLog(log.connection()))
/// ```
///
/// It keeps the promises of `LogTransport`, unless the test asks it to forget packets. A ``MemoryLogConnection`` can
/// lose and delay answers.
public final class MemoryLog: Sendable {
  fileprivate struct Packets {
    var epoch: UInt64 = 1
    /// The IDs of released packets, and their numbers.
    var released: [UniqueID: UInt64] = [:]
    /// The place before the first kept packet.
    var first: (sequence: UInt64, packet: UniqueID?) = (0, nil)
    var kept: [(sequence: UInt64, packet: LogPacket)] = []

    var last: (sequence: UInt64, packet: UniqueID?) { kept.last.map { ($0.sequence, $0.packet.id) } ?? first }
  }

  private struct State {
    var logs: [UniqueID: Packets] = [:]
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var listenersMade = 0
    /// The connections that have their turn, by log.
    var turns: [UniqueID: ObjectIdentifier] = [:]
  }

  private let state = Guarded(State())

  /// Makes an empty log.
  public init() {}

  /// A new connection, as a server makes one.
  public func connection() -> MemoryLogConnection { MemoryLogConnection(self) }

  /// Loses the packets of all logs behind a number, as the restoration of a backup does. The epoch stays the same, as
  /// if the operator had forgotten to raise it.
  public func forget(after sequence: UInt64) {
    state.withLock { state in
      for id in state.logs.keys { state.logs[id]?.kept.removeAll { $0.sequence > sequence } }
    }
  }

  /// Raises the epoch of all logs, as an operator does after the restoration of a backup.
  public func raiseEpoch() {
    state.withLock { state in for id in state.logs.keys { state.logs[id]?.epoch += 1 } }
  }

  // MARK: Connections

  package func attach(to log: UniqueID) -> LogStanding {
    state.withLock { state in
      let packets = state.logs[log, default: Packets()]
      state.logs[log] = packets
      return LogStanding(first: packets.place(packets.first), last: packets.place(packets.last))
    }
  }

  /// - Parameter deduplicates: Whether the log finds a packet that it has. Without this, it breaks its promise.
  package func append(
    _ packet: LogPacket, to log: UniqueID, after place: LogPlace, deduplicates: Bool = true
  ) -> AppendAnswer {
    let (answer, listeners) = state.withLock { state in
      let answer = state.logs[log, default: Packets()].append(packet, after: place, deduplicates)
      if case .appended = answer { return (answer, Array(state.listeners.values)) }
      return (answer, [])
    }
    for listener in listeners { listener.yield() }
    return answer
  }

  package func read(_ log: UniqueID, after place: LogPlace, limit: Int) -> LogReading {
    state.withLock { state in state.logs[log, default: Packets()].read(after: place, limit: limit) }
  }

  package func release(_ log: UniqueID, upTo place: LogPlace) {
    state.withLock { state in state.logs[log]?.release(upTo: place) }
  }

  /// A new stream of hints, and its continuation. The log forgets it when it has ended.
  func listen() -> (hints: AsyncStream<Void>, listener: AsyncStream<Void>.Continuation) {
    let (hints, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.listenersMade += 1
      state.listeners[state.listenersMade] = listener
      return state.listenersMade
    }
    listener.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) } }
    return (hints, listener)
  }

  /// Whether the connection has its turn now.
  func takeTurn(_ connection: ObjectIdentifier, in log: UniqueID) -> Bool {
    state.withLock { state in
      if state.turns[log, default: connection] != connection { return false }
      state.turns[log] = connection
      return true
    }
  }

  func endTurn(_ connection: ObjectIdentifier) {
    state.withLock { state in state.turns = state.turns.filter { $0.value != connection } }
  }
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
    if deduplicates, place.epoch == epoch,
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
