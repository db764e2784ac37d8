import Foundation
import RepriseCore
import ReprisePostgreSQL
import RepriseSharing
import XCTest

/// Servers and connection texts that the log refuses.
final class PostgreSQLLogRefusalTests: XCTestCase {
  nonisolated(unsafe) private static var shared: LogServer?
  private var server: LogServer! { Self.shared }

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

  /// The error of a connection. `nil` if it succeeds.
  private func refusal(
    _ connection: String, _ replication: PostgreSQLReplication = .unreplicated
  ) async throws -> PostgreSQLLogError? {
    let log = PostgreSQLLog(connection, replication: replication)
    do {
      _ = try await log.attach(to: UniqueID())
      return nil
    } catch let error as PostgreSQLLogError { return error }
  }

  private func database(_ name: String) throws -> String {
    try server.execute("CREATE DATABASE \(name)")
    return server.connection + " dbname=\(name)"
  }

  // MARK: Settings of the server

  func testAServerWithoutStandbyNamesIsRefused() async throws {
    for names in ["*", "ANY 1 (*)", "FIRST 1 (*)", "FIRST 2 (a, *)"] {
      try server.setStandbys(names)
      let error = try await refusal(server.connection, .synchronous)
      XCTAssertEqual(error, .notReplicated(reason: "synchronous_standby_names is '\(names)', without a name"))
    }
    try server.setStandbys("")
    let error = try await refusal(server.connection, .synchronous)
    XCTAssertEqual(error, .notReplicated(reason: "synchronous_standby_names is empty"))
    let below = try await refusal(server.connection, .below)
    XCTAssertNil(below)
  }

  func testAServerThatDoesNotFlushIsRefused() async throws {
    let reasons = [
      "fsync": "its setting fsync is off", "full_page_writes": "its setting full_page_writes is off",
    ]
    for (setting, reason) in reasons {
      let server = try LogServer("a", [setting: "off"])
      try server.initialise()
      try server.start()
      let error = try await refusal(server.connection)
      XCTAssertEqual(error, .notDurable(reason: reason))
    }
  }

  func testAStandbyIsRefused() async throws {
    let pair = try LogPair()
    guard case .unavailable = try await refusal(pair.standby.connection, .synchronous) else { return XCTFail() }
    let error = try await refusal(pair.standby.connection + " target_session_attrs=any", .synchronous)
    XCTAssertEqual(error, .unavailable(reason: "the server is a standby"))
    let primary = try await refusal(pair.standby.connection(or: pair.primary), .synchronous)
    XCTAssertNil(primary)
  }

  func testASilentServerIsUnavailable() async throws {
    server.signal(SIGSTOP)
    defer { server.signal(SIGCONT) }
    let error = try await refusal(server.connection + " connect_timeout=1")
    XCTAssertEqual(error, .unavailable(reason: "a server did not answer within 1.0 seconds"))
  }

  func testAMissingServerIsUnavailable() async throws {
    guard case .unavailable = try await refusal("host=/nowhere,/elsewhere user=reprise") else { return XCTFail() }
    guard case .invalidConnection = try await refusal(server.connection + " dbname=none") else { return XCTFail() }
  }

  /// A store tries each second while a server is down.
  func testFailedConnectionsLeaveNoFileOpen() async throws {
    let log = PostgreSQLLog("host=/nowhere,/elsewhere user=reprise", replication: .unreplicated)
    let working = PostgreSQLLog(server.connection, replication: .unreplicated)
    let files = try openFiles()
    for _ in 0..<100 { _ = try? await log.attach(to: UniqueID()) }
    for _ in 0..<20 { _ = try await working.attach(to: UniqueID()) }
    await log.detach()
    await working.detach()
    // Sessions that ended before close their files on their threads.
    for _ in 0..<500 where try openFiles() > files { usleep(10_000) }
    let left = try openFiles()
    XCTAssertLessThanOrEqual(left, files)
  }

  private func openFiles() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count }

  // MARK: The schema

  func testServersMakeTheSchemaAtTheSameTime() async throws {
    let connection = try database("fresh")
    let errors = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let log = PostgreSQLLog(connection, replication: .unreplicated)
          do {
            _ = try await log.attach(to: UniqueID())
            return nil
          } catch { return "\(error)" }
        }
      }
      return await group.reduce(into: [String]()) { if let error = $1 { $0.append(error) } }
    }
    XCTAssertEqual(errors, [])
  }

  func testTablesOfAnotherShapeAreRefused() async throws {
    let table = try database("tables")
    try server.execute("CREATE TABLE reprise_log (number int)", in: "tables")
    let error = try await refusal(table)
    let shape = "reprise_log: log uuid, epoch bigint, last bigint, packet uuid, first bigint, first_packet uuid"
    XCTAssertEqual(
      error, .otherSchema(reason: "the database lacks '\(shape)', and has another object of this name"))
    let function = try database("functions")
    try server.execute(
      "CREATE FUNCTION reprise_clean(uuid) RETURNS int LANGUAGE sql AS 'SELECT 1'", in: "functions")
    guard case .otherSchema = try await refusal(function) else { return XCTFail() }
  }

  func testARoleWithoutCreateUsesTheSchema() async throws {
    let connection = try database("rights") + " user=program"
    try server.execute("CREATE ROLE program LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC", in: "rights")
    guard case .denied = try await refusal(connection) else { return XCTFail() }
    try server.execute(PostgreSQLLog.schema, in: "rights")
    guard case .denied = try await refusal(connection) else { return XCTFail() }
    try server.execute(
      "GRANT SELECT, INSERT, UPDATE, DELETE ON reprise_log, reprise_packet TO program", in: "rights")
    let error = try await refusal(connection)
    XCTAssertNil(error)
    try server.execute(PostgreSQLLog.schema, in: "rights")
  }

  // MARK: Credentials

  func testNoErrorHasThePassword() async throws {
    try server.requirePassword(of: "locked")
    try server.execute("CREATE ROLE locked LOGIN PASSWORD 'hunter2right'")
    try server.execute("CREATE DATABASE secrets OWNER locked")
    let place = server.connection.split(separator: " ")[0]
    let folder = place.dropFirst("host=".count).replacingOccurrences(of: "/", with: "%2F")
    let right = try await refusal("\(place) user=locked dbname=secrets password=hunter2right")
    XCTAssertNil(right)
    let denied = [
      "\(place) user=locked dbname=postgres password=hunter2wrong", "\(place) user=locked dbname=postgres",
      "postgresql://locked:hunter2%40wrong@/postgres?host=\(folder)",
    ]
    for text in denied {
      guard let error = try await refusal(text), case .denied = error else { return XCTFail(text) }
      XCTAssertFalse("\(error)".contains("hunter2"), "\(error)")
    }
    let unparsed = "libpq cannot parse it. Quote values with spaces, and encode signs in a URI"
    let sign = "a host or the database has an '@'. Encode the password in a URI"
    let invalid = [
      ("\(place) user=locked password=a hunter2", unparsed), ("\(place) password='hunter2", unparsed),
      ("hunter2", unparsed), ("\(place) hunter2=3", unparsed),
      ("postgresql://locked:%hunter2@localhost/postgres", unparsed),
      ("postgresql://locked:a@hunter2@localhost/postgres", sign),
      ("postgresql://locked:a/hunter2@localhost/postgres", sign),
      ("postgresql://locked:hunter2/a@localhost/postgres", sign),
      ("postgresql://locked:hunter2/postgres", "a port is not a number"),
      ("host=a,b hostaddr=127.0.0.1", "host, hostaddr and port have different numbers of values"),
    ]
    for (text, reason) in invalid {
      let error = try await refusal(text)
      XCTAssertEqual(error, .invalidConnection(reason: reason), text)
    }
  }

  func testNoServerMessageHasThePassword() async throws {
    // The name of the role is the password as well, and the server quotes the name.
    guard let error = try await refusal(server.connection + " user=hunter2 password=hunter2") else { return XCTFail() }
    XCTAssertFalse("\(error)".contains("hunter2"), "\(error)")
    XCTAssertTrue("\(error)".contains("***"), "\(error)")
  }
}
