import Foundation
import RepriseCore
import RepriseSharing
import Synchronization

/// A shared log in a folder, for processes of one machine. Each packet is a file, and its name is its number.
///
/// `link` fails if the name exists, so of several appends after one packet, one is first.
public final class FolderLog: LogTransport {
  fileprivate struct State {
    var folder: String?
    var epoch: UInt64 = 1
    /// Packets that this connection has read, in their order.
    var packets: [(sequence: UInt64, packet: LogPacket)] = []
    /// The place before the first kept packet.
    var first: (sequence: UInt64, packet: UniqueID?) = (0, nil)
    var numbers: [UniqueID: UInt64] = [:]
  }

  private struct Detached: Error {}

  private let root: String
  private let state = Mutex(State())

  public init(_ root: String) { self.root = root }

  public func attach(to log: UniqueID) async throws -> LogStanding {
    try state.withLock { state in
      state = State()
      let folder = "\(root)/\(log)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      state.folder = folder
      try state.load()
      return LogStanding(first: state.place(state.first), last: state.last)
    }
  }

  public func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer {
    try state.withLock { state in
      guard let folder = state.folder else { throw Detached() }
      while true {
        try state.load()
        guard place.epoch == state.epoch else { return .diverged }
        if let number = state.numbers[packet.id] { return .duplicate(state.place((number, packet.id))) }
        if place.sequence < state.first.sequence { return .beforeFirst(state.place(state.first)) }
        guard let index = state.index(after: place) else { return .diverged }
        if index < state.packets.count { return .behind(state.page(from: index, limit: 256)) }
        let part = "\(folder)/part-\(UUID().uuidString)"
        try Data(packet.bytes).write(to: URL(fileURLWithPath: part))
        defer { unlink(part) }
        if link(part, "\(folder)/\(place.sequence + 1)") == 0 {
          return .appended(LogPlace(epoch: state.epoch, sequence: place.sequence + 1, packet: packet.id))
        }
        if errno != EEXIST { throw CocoaError(.fileWriteUnknown) }
      }
    }
  }

  public func read(after place: LogPlace, limit: Int) async throws -> LogReading {
    try state.withLock { state in
      try state.load()
      guard place.epoch == state.epoch else { return .diverged }
      if place.sequence < state.first.sequence { return .beforeFirst(state.place(state.first)) }
      guard let index = state.index(after: place) else { return .diverged }
      return .packets(state.page(from: index, limit: limit))
    }
  }

  public func hints() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  /// Keeps the IDs in a file, and removes the packets.
  public func release(upTo place: LogPlace) async throws {
    try state.withLock { state in
      try state.load()
      guard let folder = state.folder, let index = state.index(after: place), index > 0 else { return }
      let released = state.packets[..<index]
      let lines = released.map { "\($0.sequence) \($0.packet.id)\n" }.joined()
      let old = (try? String(contentsOfFile: folder + "/released", encoding: .utf8)) ?? ""
      try (old + lines).write(toFile: folder + "/released", atomically: true, encoding: .utf8)
      for (sequence, _) in released { unlink("\(folder)/\(sequence)") }
    }
  }

  public func detach() async { state.withLock { $0 = State() } }
}

extension FolderLog.State {
  func place(_ place: (sequence: UInt64, packet: UniqueID?)) -> LogPlace {
    LogPlace(epoch: epoch, sequence: place.sequence, packet: place.packet)
  }

  var last: LogPlace { place(packets.last.map { ($0.sequence, $0.packet.id) } ?? first) }

  /// Reads new packets.
  mutating func load() throws {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    let released = (try? String(contentsOfFile: folder + "/released", encoding: .utf8)) ?? ""
    for line in released.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let sequence = UInt64(words[0]), let id = UniqueID(String(words[1])) else { continue }
      numbers[id] = sequence
      if sequence > first.sequence { first = (sequence, id) }
    }
    packets.removeAll { $0.sequence <= first.sequence }
    var next = (packets.last?.sequence ?? first.sequence) + 1
    while let bytes = FileManager.default.contents(atPath: "\(folder)/\(next)") {
      let packet = try LogPacket(bytes: Array(bytes))
      packets.append((next, packet))
      numbers[packet.id] = next
      next += 1
    }
  }

  /// The number of kept packets up to a place. `nil` if the log lacks the place.
  func index(after place: LogPlace) -> Int? {
    if place.sequence == first.sequence { return place.packet == first.packet ? 0 : nil }
    return packets.firstIndex { $0.sequence == place.sequence && $0.packet.id == place.packet }.map { $0 + 1 }
  }

  func page(from index: Int, limit: Int) -> LogPage {
    let end = min(packets.count, index + max(1, limit))
    return LogPage(
      packets[index..<end].map { (place(($0.sequence, $0.packet.id)), $0.packet) }, hasMore: end < packets.count)
  }
}
