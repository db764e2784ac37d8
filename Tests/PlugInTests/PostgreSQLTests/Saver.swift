import Foundation
import RepriseCore
import RepriseSharing
import Synchronization

/// Makes packets with no transactions. A log does not look into them.
enum TestPacket {
  static func make(after predecessor: UniqueID?, in log: UniqueID, padding: Int = 0) throws -> LogPacket {
    let none = "00000000-0000-0000-0000-000000000000"
    var content: [UInt8] = [1]
    for text in [UniqueID().description, predecessor?.description ?? none, log.description, log.description] {
      content += bytes(text)
    }
    content += [1, 0, 0, 0, 0] + [UInt8](repeating: 7, count: padding)
    let checksum = withUnsafeBytes(of: crc32c(content).littleEndian) { Array($0) }
    return try LogPacket(bytes: checksum + content)
  }

  private static func bytes(_ uuid: String) -> [UInt8] {
    let digits = uuid.utf8.filter { $0 != UInt8(ascii: "-") }
    return stride(from: 0, to: digits.count, by: 2).map { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
  }

  private static func crc32c(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crc, byte in table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
  }
}

/// Saves numbers through a transport, as the agent of a store does.
final class Saver: Sendable {
  struct State {
    var acknowledged: [Int] = []
    /// The number that each packet saves. A number has several packets if other servers were faster.
    var numbers: [UniqueID: Int] = [:]
    var unknown = 0
    /// The number of errors. A server that recovers makes few.
    var errors = 0
    var failures: [String] = []
  }

  let state = Mutex(State())
  private let transport: any LogTransport
  private let log: UniqueID
  private let isStopped = Atomic(false)

  init(_ transport: any LogTransport, in log: UniqueID) {
    self.transport = transport
    self.log = log
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  var count: Int { state.withLock(\.acknowledged.count) }

  /// Saves the numbers 0, 1, 2 … until ``stop()``, or until it has saved enough.
  func run(_ most: Int = .max, padding: Int = 0) async {
    var place: LogPlace?
    var pending: LogPacket?
    while count < most, !isStopped.load(ordering: .relaxed), state.withLock(\.failures.isEmpty) {
      do {
        if place == nil || pending == nil && isLost { place = try await attach(place) }
        guard let start = place else { continue }
        let packet = try pending ?? TestPacket.make(after: start.packet, in: log, padding: padding)
        let number = count
        state.withLock { $0.numbers[packet.id] = number }
        if isLost { _ = try await attach(start) }
        let wasSent = pending != nil
        let answer: AppendAnswer
        do { answer = try await transport.append(packet, after: start) } catch {
          // The packet is not in the log, unless an earlier call put it there.
          if !wasSent { pending = nil }
          throw error
        }
        switch answer {
        case .appended(let next), .duplicate(let next):
          (place, pending) = (next, nil)
          state.withLock { $0.acknowledged.append(number) }
        case .behind(let page): (place, pending) = (page.packets.last?.place ?? start, nil)
        case .unknown:
          pending = packet
          state.withLock { $0.unknown += 1 }
        case .beforeFirst, .diverged:
          state.withLock { $0.failures.append("\(answer)") }
          return
        }
      } catch {
        lose("\(error)")
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private let lost = Mutex<String?>(nil)

  private var isLost: Bool { lost.withLock { $0 != nil } }

  private func lose(_ reason: String) {
    lost.withLock { $0 = reason }
    state.withLock { state in
      state.errors += 1
      if state.errors == 1_000 { state.failures.append(reason) }
    }
  }

  private func attach(_ place: LogPlace?) async throws -> LogPlace {
    let standing = try await transport.attach(to: log)
    lost.withLock { $0 = nil }
    return place ?? standing.last
  }
}

/// Reads packets as they come.
final class Follower: Sendable {
  let applied = Mutex<[UniqueID]>([])
  let failures = Mutex<[String]>([])
  private let transport: any LogTransport
  private let log: UniqueID
  private let isStopped = Atomic(false)

  init(_ transport: any LogTransport, in log: UniqueID) {
    self.transport = transport
    self.log = log
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  func run() async {
    var place: LogPlace?
    var isAttached = false
    while !isStopped.load(ordering: .relaxed) {
      do {
        if !isAttached {
          let standing = try await transport.attach(to: log)
          place = place ?? standing.first
          isAttached = true
        }
        guard let start = place else { continue }
        guard case .packets(let page) = try await transport.read(after: start, limit: 256) else {
          return failures.withLock { $0.append("the place \(start) is gone") }
        }
        applied.withLock { $0 += page.packets.map(\.packet.id) }
        place = page.packets.last?.place ?? start
        if page.packets.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      } catch {
        isAttached = false
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
  }
}

/// All packets of a log.
func packets(of transport: any LogTransport, in log: UniqueID) async throws -> [UniqueID] {
  var place = try await transport.attach(to: log).first
  var found: [UniqueID] = []
  while case .packets(let page) = try await transport.read(after: place, limit: 256) {
    found += page.packets.map(\.packet.id)
    place = page.packets.last?.place ?? place
    if !page.hasMore { break }
  }
  return found
}
