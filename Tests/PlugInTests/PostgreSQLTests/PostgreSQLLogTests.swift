import RepriseCore
import ReprisePostgreSQL
import RepriseSharing
import XCTest

/// The promises of `LogTransport`, for the log in PostgreSQL.
final class PostgreSQLLogTests: XCTestCase {
  nonisolated(unsafe) private static var shared: LogServer?
  private var server: LogServer! { Self.shared }
  private let logID = UniqueID()

  override func setUp() async throws {
    if Self.shared == nil {
      let server = LogServer?(try LogServer())
      try server?.initialise()
      try server?.start()
      Self.shared = server
    }
  }

  override class func tearDown() { shared = nil }

  private struct Unexpected: Error { let answer: String }

  private func connect() async throws -> (log: PostgreSQLLog, last: LogPlace) {
    let log = PostgreSQLLog(server.connection, replication: .unreplicated)
    return (log, try await log.attach(to: logID).last)
  }

  private func packet(after place: LogPlace, padding: Int = 0) throws -> LogPacket {
    try TestPacket.make(after: place.packet, in: logID, padding: padding)
  }

  private func append(_ log: PostgreSQLLog, after place: LogPlace, padding: Int = 0) async throws -> LogPlace {
    let packet = try packet(after: place, padding: padding)
    let answer = try await log.append(packet, after: place)
    guard case .appended(let next) = answer else { throw Unexpected(answer: "\(answer)") }
    XCTAssertEqual(next.packet, packet.id)
    XCTAssertGreaterThan(next.sequence, place.sequence)
    return next
  }

  func testOneOfTwoAppendsWinsAndTheOtherGetsIt() async throws {
    let (one, start) = try await connect()
    let (two, _) = try await connect()
    let packet = try packet(after: start)
    guard case .appended(let first) = try await one.append(packet, after: start) else { return XCTFail() }
    let other = try self.packet(after: start)
    guard case .behind(let page) = try await two.append(other, after: start) else { return XCTFail() }
    XCTAssertEqual(page.packets.map(\.place), [first])
    XCTAssertEqual(page.packets.map(\.packet), [packet])
    XCTAssertFalse(page.hasMore)
    guard case .appended = try await two.append(other, after: first) else { return XCTFail() }
  }

  func testADuplicateIsFoundAlsoAfterARelease() async throws {
    let (log, start) = try await connect()
    let packet = try packet(after: start)
    guard case .appended(let place) = try await log.append(packet, after: start) else { return XCTFail() }
    let last = try await append(log, after: place)
    guard case .duplicate(place) = try await log.append(packet, after: start) else { return XCTFail() }
    guard case .duplicate(place) = try await log.append(packet, after: last) else { return XCTFail() }
    try await log.release(upTo: last)
    guard case .duplicate(place) = try await log.append(packet, after: start) else { return XCTFail() }
    XCTAssertEqual(try server.answer("SELECT count(payload) FROM reprise_packet WHERE log = '\(logID)'"), "0")
    try server.execute("UPDATE reprise_packet SET released = released - interval '8 days' WHERE log = '\(logID)'")
    try await log.release(upTo: try await append(log, after: last))
    XCTAssertEqual(try server.answer("SELECT count(*) FROM reprise_packet WHERE log = '\(logID)'"), "1")
  }

  func testAReleasedPlaceGetsTheFirstPlace() async throws {
    let (log, start) = try await connect()
    let first = try await append(log, after: start)
    let second = try await append(log, after: first)
    try await log.release(upTo: LogPlace(epoch: first.epoch, sequence: first.sequence, packet: second.packet))
    guard case .packets(let all) = try await log.read(after: start, limit: 9) else { return XCTFail() }
    XCTAssertEqual(all.packets.map(\.place), [first, second], "a place of another packet is not in the log")
    try await log.release(upTo: first)
    guard case .beforeFirst(first) = try await log.read(after: start, limit: 9) else { return XCTFail() }
    guard case .packets(let page) = try await log.read(after: first, limit: 9) else { return XCTFail() }
    XCTAssertEqual(page.packets.map(\.place), [second])
    let late = try packet(after: start)
    guard case .beforeFirst(first) = try await log.append(late, after: start) else { return XCTFail() }
    try await log.release(upTo: start)
    let standing = try await log.attach(to: logID)
    XCTAssertEqual(standing, LogStanding(first: first, last: second))
    let wrong = LogPlace(epoch: first.epoch, sequence: first.sequence, packet: second.packet)
    guard case .diverged = try await log.read(after: wrong, limit: 9) else { return XCTFail() }
  }

  func testARestoredLogIsNotContinued() async throws {
    let (log, start) = try await connect()
    let first = try await append(log, after: start)
    let second = try await append(log, after: first)
    try server.execute(
      """
      DELETE FROM reprise_packet WHERE log = '\(logID)' AND seq = \(second.sequence);
      UPDATE reprise_log SET last = \(first.sequence), packet = '\(first.packet!)' WHERE log = '\(logID)'
      """)
    let next = try packet(after: second)
    guard case .diverged = try await log.append(next, after: second) else { return XCTFail() }
    guard case .diverged = try await log.read(after: second, limit: 9) else { return XCTFail() }
    let other = try await append(log, after: first)
    XCTAssertEqual(other.sequence, second.sequence)
    guard case .diverged = try await log.read(after: second, limit: 9) else { return XCTFail() }
    guard case .diverged = try await log.append(next, after: second) else { return XCTFail() }
    try server.execute("UPDATE reprise_log SET epoch = epoch + 1 WHERE log = '\(logID)'")
    guard case .diverged = try await log.read(after: other, limit: 9) else { return XCTFail() }
    guard case .diverged = try await log.append(try packet(after: other), after: other) else { return XCTFail() }
    let standing = try await log.attach(to: logID)
    XCTAssertEqual(standing.last, LogPlace(epoch: other.epoch + 1, sequence: other.sequence, packet: other.packet))
    _ = try await append(log, after: standing.last)
  }

  func testAPlaceOfTheFutureIsNotContinued() async throws {
    let (log, start) = try await connect()
    for sequence in [1, UInt64.max] {
      let place = LogPlace(epoch: start.epoch, sequence: sequence, packet: UniqueID())
      guard case .diverged = try await log.read(after: place, limit: 9) else { return XCTFail() }
      guard case .diverged = try await log.append(try packet(after: place), after: place) else { return XCTFail() }
    }
  }

  func testPagesAreBoundedAndFollowEachOther() async throws {
    let (log, start) = try await connect()
    var places = [start]
    for _ in 0..<300 { places.append(try await append(log, after: places.last!)) }
    guard case .packets(let page) = try await log.read(after: start, limit: 1_000) else { return XCTFail() }
    XCTAssertEqual(page.packets.map(\.place), Array(places[1...256]))
    XCTAssertTrue(page.hasMore)
    guard case .behind(page.packets.count, true) = try await behind(log, after: start) else { return XCTFail() }
    guard case .packets(let one) = try await log.read(after: start, limit: 0) else { return XCTFail() }
    XCTAssertEqual(one.packets.map(\.place), [places[1]])
    guard case .packets(let rest) = try await log.read(after: places[256], limit: 44) else { return XCTFail() }
    XCTAssertEqual(rest.packets.map(\.place), Array(places[257...]))
    XCTAssertFalse(rest.hasMore)
    guard case .packets(let none) = try await log.read(after: places[300], limit: 9) else { return XCTFail() }
    XCTAssertTrue(none.packets.isEmpty && !none.hasMore)
  }

  private enum Behind { case behind(Int, Bool), other }

  private func behind(_ log: PostgreSQLLog, after place: LogPlace) async throws -> Behind {
    guard case .behind(let page) = try await log.append(try packet(after: place), after: place) else { return .other }
    return .behind(page.packets.count, page.hasMore)
  }

  func testAPageHasEightMegabytesOrOnePacket() async throws {
    let (log, start) = try await connect()
    var place = start
    for size in [3, 3, 3, 20, 1] { place = try await append(log, after: place, padding: size << 20) }
    var counts: [Int] = []
    place = start
    while true {
      guard case .packets(let page) = try await log.read(after: place, limit: 256) else { return XCTFail() }
      counts.append(page.packets.count)
      place = page.packets.last?.place ?? place
      if !page.hasMore { break }
    }
    XCTAssertEqual(counts, [2, 1, 1, 1])
  }

  func testFourServersLoseAndDoubleNothing() async throws {
    let savers = (0..<4).map { _ in
      Saver(PostgreSQLLog(server.connection, replication: .unreplicated), in: logID)
    }
    await withTaskGroup(of: Void.self) { group in
      for saver in savers { group.addTask { await saver.run(50) } }
    }
    let log = PostgreSQLLog(server.connection, replication: .unreplicated)
    let found = try await packets(of: log, in: logID)
    XCTAssertEqual(found.count, 200)
    Saves(savers).check(found)
  }

  func testALargePacketGoesOverTheNetwork() async throws {
    let port = LogServer.freePort()
    let server = try LogServer("a", ["listen_addresses": "127.0.0.1", "port": "\(port)"])
    try server.initialise()
    try server.start()
    let log = PostgreSQLLog(
      "postgresql://reprise@127.0.0.1:\(LogServer.freePort()),127.0.0.1:\(port)/postgres", replication: .unreplicated)
    let start = try await log.attach(to: logID).last
    let packet = try packet(after: start, padding: 30 << 20)
    guard case .appended = try await log.append(packet, after: start) else { return XCTFail() }
    guard case .packets(let page) = try await log.read(after: start, limit: 9) else { return XCTFail() }
    XCTAssertEqual(page.packets.map(\.packet), [packet])
  }

  func testLogsOfOneDatabaseAreSeparate() async throws {
    let (log, start) = try await connect()
    _ = try await append(log, after: start)
    let other = PostgreSQLLog(server.connection, replication: .unreplicated)
    let standing = try await other.attach(to: UniqueID())
    XCTAssertEqual(standing.last, .beginning(ofEpoch: 1))
  }
}
