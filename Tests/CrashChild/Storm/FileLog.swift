import RepriseObjectModel
import RepriseSharing
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A shared log in a folder, without Foundation. Each packet is a file, and its name is its number.
///
/// `link` fails if the name exists, so of several appends after one packet, one is first. A packet is only ever
/// appended after one place, so the log has it there or nowhere.
final class FileLog: LogTransport {
  private let folder: String
  private let parts = Guarded(0)
  private let deadline = Guarded<Int?>(nil)

  init(_ folder: String) { self.folder = folder }

  /// Lets this process be killed after so many appends, before the store has the packet.
  func die(afterAppends count: Int) { deadline.withLock { $0 = count } }

  private func countDown() {
    let isOver = deadline.withLock { deadline in
      deadline = deadline.map { $0 - 1 }
      return deadline == 0
    }
    if isOver { kill(getpid(), SIGKILL) }
  }

  private func path(_ sequence: UInt64) -> String { "\(folder)/\(sequence)" }

  private func place(_ sequence: UInt64, _ packet: LogPacket?) -> LogPlace {
    LogPlace(epoch: 1, sequence: sequence, packet: packet?.id)
  }

  private func packet(_ sequence: UInt64) throws -> LogPacket { try LogPacket(bytes: Disk.read(path(sequence))) }

  private func has(_ sequence: UInt64) -> Bool { sequence == 0 || access(path(sequence), F_OK) == 0 }

  /// The number of the last packet that is there, at or after one that is there.
  func last(after sequence: UInt64 = 0) -> UInt64 {
    var (found, step) = (sequence, UInt64(1))
    while has(found + step) { (found, step) = (found + step, step * 2) }
    while step > 1 {
      step /= 2
      if has(found + step) { found += step }
    }
    return found
  }

  /// The packets after a place. `nil` if the log has another one there.
  private func page(after place: LogPlace, limit: Int) throws -> LogPage? {
    guard place.epoch == 1, has(place.sequence) else { return nil }
    if place.sequence > 0, try packet(place.sequence).id != place.packet { return nil }
    var packets: [(place: LogPlace, packet: LogPacket)] = []
    var next = place.sequence + 1
    while packets.count < limit, has(next) {
      let packet = try packet(next)
      packets.append((self.place(next, packet), packet))
      next += 1
    }
    return LogPage(packets, hasMore: has(next))
  }

  func attach(to log: UniqueID) async throws -> LogStanding {
    _ = mkdir(folder, 0o700)
    let last = last()
    return LogStanding(first: place(0, nil), last: place(last, last == 0 ? nil : try packet(last)))
  }

  func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer {
    let next = place.sequence + 1
    let part = parts.withLock { part in
      part += 1
      return "\(folder)/part-\(getpid())-\(part)"
    }
    while true {
      guard let page = try page(after: place, limit: 256) else { return .diverged }
      if let first = page.packets.first {
        return first.packet.id == packet.id ? .duplicate(first.place) : .behind(page)
      }
      try Disk.write(packet.bytes, to: part)
      defer { unlink(part) }
      if link(part, path(next)) == 0 {
        countDown()
        return .appended(self.place(next, packet))
      }
      if errno != EEXIST { throw Disk.Failure(operation: "link", path: part, code: errno) }
    }
  }

  func read(after place: LogPlace, limit: Int) async throws -> LogReading {
    try page(after: place, limit: limit).map { .packets($0) } ?? .diverged
  }

  func hints() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  func release(upTo place: LogPlace) async throws {}

  func detach() async {}
}
