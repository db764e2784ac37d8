import Foundation
import RepriseCore
import ReprisePostgreSQL
import XCTest

/// A connection is readable by others, or trusts a server with another certificate.
final class PostgreSQLTLSTests: XCTestCase {
  private let folder = "/tmp/reprise-tls-\(UInt32.random(in: 0 ... .max))"

  override func setUp() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for name in ["server", "other"] { try makeCertificate(name) }
  }

  override func tearDown() async throws { try FileManager.default.removeItem(atPath: folder) }

  private func makeCertificate(_ name: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost", "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).crt",
    ]
    process.standardError = nil
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw TestServer.Failure(description: "openssl failed") }
    // The server refuses a key of another user.
    if getuid() == 0 { chown("\(folder)/\(name).key", 65_534, 65_534) }
    chmod("\(folder)/\(name).key", 0o600)
  }

  func testAConnectionIsEncryptedAndChecked() async throws {
    let port = "\(LogServer.freePort())"
    let server = try LogServer(
      "a",
      [
        "ssl": "on", "ssl_cert_file": folder + "/server.crt", "ssl_key_file": folder + "/server.key",
        "listen_addresses": "127.0.0.1", "port": port,
      ])
    try server.initialise()
    try server.start()
    func connect(_ root: String) async throws {
      let log = PostgreSQLLog(
        "host=localhost hostaddr=127.0.0.1 port=\(port) user=reprise dbname=postgres sslmode=verify-full "
          + "sslrootcert=\(folder)/\(root).crt", replication: .unreplicated)
      _ = try await log.attach(to: UniqueID())
      let encrypted = """
        SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'reprise'
        """
      XCTAssertEqual(try server.answer(encrypted), "t")
      await log.detach()
    }
    try await connect("server")
    do {
      try await connect("other")
      XCTFail("The server has another certificate.")
    } catch PostgreSQLLogError.unavailable(let reason) {
      XCTAssertTrue(reason.contains("certificate verify failed"), reason)
    }
  }
}
