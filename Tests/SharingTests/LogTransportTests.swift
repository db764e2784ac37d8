import RepriseObjectModel
import RepriseSharing
import RepriseTesting
import XCTest

/// The promises of `LogTransport`, for the log in memory.
final class LogTransportTests: XCTestCase {
  private static let logID = UniqueID()

  private static func packet(after predecessor: UniqueID?) -> LogPacket { LogPacket(after: predecessor, in: logID) }

  /// A connection, and the last place.
  private func connect(_ log: MemoryLog) async throws -> (connection: MemoryLogConnection, last: LogPlace) {
    let connection = log.connection()
    return (connection, try await connection.attach(to: Self.logID).last)
  }

  private func append(_ connection: MemoryLogConnection, after place: LogPlace) async throws -> LogPlace {
    let packet = Self.packet(after: place.packet)
    guard case .appended(let next) = try await connection.append(packet, after: place) else {
      throw MemoryLogConnection.Disconnected()
    }
    XCTAssertEqual(next.packet, packet.id)
    return next
  }

  func testOneOfTwoAppendsWinsAndTheOtherGetsIt() async throws {
    let log = MemoryLog()
    let (one, start) = try await connect(log)
    let (two, _) = try await connect(log)
    let first = try await append(one, after: start)
    let packet = Self.packet(after: nil)
    guard case .behind(let page) = try await two.append(packet, after: start) else { return XCTFail() }
    XCTAssertEqual(page.packets.map(\.place), [first])
    XCTAssertFalse(page.hasMore)
    guard case .appended = try await two.append(packet, after: first) else { return XCTFail() }
  }

  func testAPacketIsFoundAgainAfterALostAnswer() async throws {
    let log = MemoryLog()
    let (connection, start) = try await connect(log)
    let packet = Self.packet(after: nil)
    connection.loseNextAnswer(.beforeAppending)
    connection.loseNextAnswer(.afterAppending)
    for _ in 0..<2 {
      guard case .unknown = try await connection.append(packet, after: start) else { return XCTFail() }
    }
    guard case .duplicate(let place) = try await connection.append(packet, after: start) else { return XCTFail() }
    XCTAssertEqual(place.packet, packet.id)
    try await connection.release(upTo: place)
    guard case .duplicate(place) = try await connection.append(packet, after: start) else { return XCTFail() }
  }

  func testAReadingBeforeTheFirstPacketGetsItsPlace() async throws {
    let log = MemoryLog()
    let (connection, start) = try await connect(log)
    let first = try await append(connection, after: start)
    let second = try await append(connection, after: first)
    try await connection.release(upTo: first)
    guard case .beforeFirst(first) = try await connection.read(after: start, limit: 9) else { return XCTFail() }
    guard case .packets(let page) = try await connection.read(after: first, limit: 9) else { return XCTFail() }
    XCTAssertEqual(page.packets.map(\.place), [second])
    let late = Self.packet(after: nil)
    guard case .beforeFirst(first) = try await connection.append(late, after: start) else { return XCTFail() }
    let standing = try await log.connection().attach(to: Self.logID)
    XCTAssertEqual(standing, LogStanding(first: first, last: second))
  }

  func testALogThatWasSetBackIsNotContinued() async throws {
    let log = MemoryLog()
    let (connection, start) = try await connect(log)
    let first = try await append(connection, after: start)
    let second = try await append(connection, after: first)
    log.forget(after: first.sequence)
    let next = Self.packet(after: second.packet)
    guard case .diverged = try await connection.append(next, after: second) else { return XCTFail() }
    guard case .diverged = try await connection.read(after: second, limit: 9) else { return XCTFail() }
    let other = try await append(connection, after: first)
    XCTAssertEqual(other.sequence, second.sequence)
    guard case .diverged = try await connection.read(after: second, limit: 9) else { return XCTFail() }
    log.raiseEpoch()
    guard case .diverged = try await connection.read(after: other, limit: 9) else { return XCTFail() }
  }

  func testPagesFollowEachOther() async throws {
    let log = MemoryLog()
    let (connection, start) = try await connect(log)
    var places = [start]
    for _ in 0..<7 { places.append(try await append(connection, after: places.last!)) }
    var read = [start]
    while true {
      guard case .packets(let page) = try await connection.read(after: read.last!, limit: 3) else { return XCTFail() }
      for (place, packet) in page.packets {
        XCTAssertEqual(packet.predecessor, read.last!.packet)
        read.append(place)
      }
      if !page.hasMore { break }
    }
    XCTAssertEqual(read, places)
  }

  func testNoSaveOfSeveralServersIsLostOrDoubled() async throws {
    let log = MemoryLog()
    let made = try await withThrowingTaskGroup(of: [UniqueID].self) { group in
      for server in 0..<4 {
        group.addTask { try await Self.appendAll(25, log.connection(), losing: server.isMultiple(of: 2)) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let (connection, _) = try await connect(log)
    guard case .packets(let page) = try await connection.read(after: .beginning(ofEpoch: 1), limit: 1_000) else {
      return XCTFail()
    }
    XCTAssertEqual(page.packets.map(\.packet.id).sorted(), made.sorted())
  }

  /// Appends packets as a server does, and returns their IDs.
  private static func appendAll(
    _ count: Int, _ connection: MemoryLogConnection, losing: Bool
  ) async throws -> [UniqueID] {
    var place = try await connection.attach(to: logID).last
    var made: [UniqueID] = []
    while made.count < count {
      let packet = packet(after: place.packet)
      if losing { connection.loseNextAnswer(made.count.isMultiple(of: 3) ? .afterAppending : .beforeAppending) }
      var answer = try await connection.append(packet, after: place)
      while case .unknown = answer { answer = try await connection.append(packet, after: place) }
      switch answer {
      case .appended(let next), .duplicate(let next):
        made.append(packet.id)
        place = next
      case .behind(let page): place = page.packets.last?.place ?? place
      case .beforeFirst, .diverged, .unknown: throw MemoryLogConnection.Disconnected()
      }
    }
    return made
  }
}
