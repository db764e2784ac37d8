import Foundation
import RepriseCore
import ReprisePostgreSQL
import RepriseSharing
import XCTest

/// Lost connections and answers, hints and turns.
final class PostgreSQLLogLossTests: XCTestCase {
  nonisolated(unsafe) private static var shared: LogServer?
  private var server: LogServer! { Self.shared }
  private let logID = UniqueID()

  override func setUp() async throws {
    if Self.shared == nil {
      let server = try LogServer()
      try server.initialise()
      try server.start()
      Self.shared = server
    }
    try server.setStandbys("")
  }

  override class func tearDown() { shared = nil }

  private func makeLog() -> PostgreSQLLog { PostgreSQLLog(server.connection, replication: .unreplicated) }

  private func connect() async throws -> (log: PostgreSQLLog, last: LogPlace) {
    let log = makeLog()
    return (log, try await log.attach(to: logID).last)
  }

  private func packet(after place: LogPlace) throws -> LogPacket {
    try TestPacket.make(after: place.packet, in: logID)
  }

  private func terminate(_ condition: String = "true") throws {
    try server.execute(
      """
      SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
      WHERE application_name = 'reprise' AND \(condition)
      """)
  }

  private static func unavailable(_ body: () async throws -> Void) async -> String? {
    do { try await body() } catch PostgreSQLLogError.unavailable(let reason) { return reason } catch { return nil }
    return nil
  }

  // MARK: Lost connections

  func testALostConnectionIsLostUntilTheNextAttach() async throws {
    let (log, start) = try await connect()
    try terminate()
    let packet = try packet(after: start)
    for _ in 0..<2 {
      let append = await Self.unavailable { _ = try await log.append(packet, after: start) }
      XCTAssertNotNil(append)
    }
    let read = await Self.unavailable { _ = try await log.read(after: start, limit: 9) }
    XCTAssertNotNil(read)
    let standing = try await log.attach(to: logID)
    XCTAssertEqual(standing.last, start)
    guard case .appended = try await log.append(packet, after: start) else { return XCTFail() }
  }

  func testTerminatedSessionsLoseAndDoubleNothing() async throws {
    let log = makeLog()
    let savers = (0..<3).map { _ in Saver(makeLog(), in: logID) }
    let tasks = savers.map { saver in Task { await saver.run(300) } }
    while savers.contains(where: { $0.count < 300 && $0.state.withLock(\.failures.isEmpty) }) { try terminate() }
    for task in tasks { await task.value }
    let found = try await packets(of: log, in: logID)
    Saves(savers).check(found)
    XCTAssertGreaterThan(savers.reduce(0) { $0 + $1.state.withLock(\.errors) }, 0)
  }

  func testAnErrorAtTheCommitIsNoSuccess() async throws {
    let (log, start) = try await connect()
    let packet = try packet(after: start)
    let timings = [
      "TRIGGER t AFTER INSERT ON reprise_packet",
      "CONSTRAINT TRIGGER t AFTER INSERT ON reprise_packet DEFERRABLE INITIALLY DEFERRED",
    ]
    for timing in timings {
      try trigger(timing, "RAISE EXCEPTION 'full' USING ERRCODE = '53100'")
      let append = await Self.unavailable { _ = try await log.append(packet, after: start) }
      try server.execute("DROP TRIGGER t ON reprise_packet")
      XCTAssertEqual(append, "full (SQLSTATE 53100)")
      guard case .packets(let page) = try await log.read(after: start, limit: 9) else { return XCTFail() }
      XCTAssertTrue(page.packets.isEmpty)
    }
    guard case .appended = try await log.append(packet, after: start) else { return XCTFail() }
  }

  func testAWarningAtTheCommitIsNoSuccess() async throws {
    let (log, start) = try await connect()
    let packet = try packet(after: start)
    try trigger("TRIGGER t AFTER INSERT ON reprise_packet", "RAISE WARNING 'canceling wait'")
    let answer = try await log.append(packet, after: start)
    try server.execute("DROP TRIGGER t ON reprise_packet")
    guard case .unknown = answer else { return XCTFail("\(answer)") }
    guard case .duplicate = try await log.append(packet, after: start) else { return XCTFail() }
  }

  private func trigger(_ timing: String, _ statement: String) throws {
    try server.execute(
      """
      CREATE OR REPLACE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN \(statement); RETURN NULL; END $$;
      CREATE \(timing) FOR EACH ROW EXECUTE FUNCTION interrupt();
      """)
  }

  // MARK: The wait for a standby

  /// Settings of the role, under which a server would not wait, or not report that it did not.
  private func misconfigure() throws {
    try server.execute("ALTER ROLE reprise SET synchronous_commit = 'off'")
    try server.execute("ALTER ROLE reprise SET client_min_messages = 'error'")
    try server.execute("ALTER ROLE reprise SET statement_timeout = '200ms'")
  }

  func testAConnectionWaitsForTheStandby() async throws {
    try misconfigure()
    defer { try? server.execute("ALTER ROLE reprise RESET ALL") }
    let (_, start) = try await connect()
    try server.setStandbys("nobody")
    let log = makeLog()
    let attach = Task { [logID] in try await log.attach(to: logID) }
    let isBlocked = try server.hasBlockedCommit()
    XCTAssertTrue(isBlocked, "the server may show commits that no standby has")
    try server.setStandbys("")
    let standing = try await attach.value
    XCTAssertEqual(standing.last, start)

    try server.setStandbys("nobody")
    let again = Task { [logID] in try await log.attach(to: logID) }
    let isBlockedAgain = try server.hasBlockedCommit()
    XCTAssertTrue(isBlockedAgain)
    try server.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    let reason = await Self.unavailable { _ = try await again.value }
    XCTAssertEqual(reason, "somebody cancelled the wait for a standby")
  }

  func testAnEndedWaitForTheStandbyIsUnknown() async throws {
    try misconfigure()
    defer { try? server.execute("ALTER ROLE reprise RESET ALL") }
    for function in ["pg_cancel_backend", "pg_terminate_backend"] {
      let (log, last) = try await connect()
      let packet = try packet(after: last)
      try server.setStandbys("nobody")
      let append = Task { try await log.append(packet, after: last) }
      let isBlocked = try server.hasBlockedCommit()
      XCTAssertTrue(isBlocked)
      try server.execute("SELECT \(function)(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      let answer = try await append.value
      guard case .unknown = answer else { return XCTFail("\(function): \(answer)") }
      // The packet can be seen, and the standby lacks it.
      let again = Task { [logID] in
        if function == "pg_terminate_backend" { _ = try await log.attach(to: logID) }
        return try await log.append(packet, after: last)
      }
      let isBlockedAgain = try server.hasBlockedCommit()
      XCTAssertTrue(isBlockedAgain, "\(function): the duplicate was believed")
      try server.setStandbys("")
      guard case .duplicate = try await again.value else { return XCTFail(function) }
      guard case .packets(let page) = try await log.read(after: last, limit: 9) else { return XCTFail(function) }
      XCTAssertEqual(page.packets.map(\.packet), [packet])
    }
  }

  // MARK: The end

  func testDetachEndsACallThatIsBlocked() async throws {
    let (log, start) = try await connect()
    let (reader, _) = try await connect()
    let packet = try packet(after: start)
    server.signal(SIGSTOP)
    let append = Task { try await log.append(packet, after: start) }
    let read = Task { () async -> String? in
      do { _ = try await reader.read(after: start, limit: 9) } catch { return "\(error)" }
      return nil
    }
    try await Task.sleep(for: .milliseconds(200))
    await log.detach()
    await reader.detach()
    server.signal(SIGCONT)
    guard case .unknown = try await append.value else { return XCTFail() }
    let reason = await read.value ?? ""
    // Not the silence of the server: "the server did not answer within 5.0 seconds".
    XCTAssertTrue(reason.contains("the program ended the connection"), reason)
    guard case .packets(let page) = try await reading(after: start) else { return XCTFail() }
    XCTAssertLessThanOrEqual(page.packets.count, 1)
    _ = try await log.attach(to: logID)
  }

  private func reading(after place: LogPlace) async throws -> LogReading {
    let (log, _) = try await connect()
    return try await log.read(after: place, limit: 9)
  }

  func testHintsWithoutAConnectionEnd() async throws {
    let log = PostgreSQLLog("host=/nowhere user=reprise", replication: .unreplicated)
    for await _ in log.hints() {}
    _ = try? await log.attach(to: logID)
    for await _ in log.hints() {}
  }

  func testALogThatGoesAwayEndsItsSessions() async throws {
    var log: PostgreSQLLog? = makeLog()
    _ = try await log?.attach(to: logID)
    for await _ in log!.hints() { break }
    log = nil
    while try server.answer("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'reprise'") != "0" {
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  // MARK: Hints

  func testAHintComesFromOtherServersOnly() async throws {
    let (one, start) = try await connect()
    let (two, _) = try await connect()
    var listening = one.hints().makeAsyncIterator()
    var hints = two.hints().makeAsyncIterator()
    // The first one reports that the session listens.
    _ = await listening.next()
    _ = await hints.next()
    guard case .appended = try await one.append(try packet(after: start), after: start) else { return XCTFail() }
    let hint: Void? = await hints.next()
    XCTAssertNotNil(hint)
    await one.detach()
    let own: Void? = await listening.next()
    XCTAssertNil(own, "the stream ends, and the server's own packet was no hint")
    try terminate("query LIKE 'LISTEN%' OR query LIKE 'NOTIFY%'")
    while await hints.next() != nil {}
    // The session comes back, and with it the first element of a new stream.
    var isBack = false
    while !isBack { for await _ in two.hints() where !isBack { isBack = true; break } }
    await two.detach()
    for await _ in two.hints() {}
  }

  // MARK: Turns

  func testOneServerHasTheTurn() async throws {
    let (one, _) = try await connect()
    let (two, _) = try await connect()
    var turns = [try await one.takeTurn(), try await one.takeTurn(), try await two.takeTurn()]
    XCTAssertEqual(turns, [true, true, false])
    try await one.endTurn()
    try await one.endTurn()
    turns = [try await two.takeTurn(), try await one.takeTurn()]
    XCTAssertEqual(turns, [true, false])
    await two.detach()
    while try await !one.takeTurn() {}
  }

  /// A process that was stopped with its turn keeps its session, and the others would wait until it goes on.
  func testATurnThatNobodyEndsIsOver() async throws {
    let (one, start) = try await connect()
    let (two, _) = try await connect()
    var hasTurn = try await one.takeTurn()
    XCTAssertTrue(hasTurn)
    hasTurn = false
    for _ in 0..<50 where !hasTurn { hasTurn = try await two.takeTurn() }
    XCTAssertTrue(hasTurn, "the other server still has the turn")
    try await two.endTurn()
    let next = try packet(after: start)
    switch try? await one.append(next, after: start) {
    // The answer is unknown if the server's last words arrive before the end of the connection.
    case nil, .unknown: break
    default: XCTFail("the session has ended")
    }
    _ = try await one.attach(to: logID)
    guard case .appended = try await one.append(next, after: start) else { return XCTFail("it was appended") }
  }
}
