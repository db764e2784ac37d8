import Foundation
import Inspected
import RepriseCore
import XCTest

/// The page's server answers those it should not, or does not end.
@MainActor
final class InspectTests: XCTestCase {
  private let path = NSTemporaryDirectory() + "reprise-inspect-\(UUID().uuidString)"

  override func setUp() async throws {
    let store = try await Store.open(path, for: Note.self, Folder.self)
    let context = RootContext(store)
    context.insert(Note("A secret"))
    try await context.save()
    try await store.close()
  }

  override func tearDown() async throws { try FileManager.default.removeItem(atPath: path) }

  func testAForeignRequestIsAnswered() async throws {
    let inspector = try InspectCommand(path, ["--edit"])
    let (port, token) = (inspector.port, inspector.token)
    func status(
      _ path: String, _ method: String = "GET", host: String? = nil, headers: [String] = [], body: String = ""
    ) throws -> Int {
      let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + headers
      let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
      let answer = try RawRequest.send((lines + length + ["", body]).joined(separator: "\r\n"), to: port)
      XCTAssertFalse(answer.status != 200 && answer.text.contains("secret"), answer.text)
      return answer.status
    }
    let rows = "/\(token)/api/rows?fetch=Note"
    let allowed = try status(rows)
    XCTAssertEqual(allowed, 200)
    let wrong = String(token.dropLast()) + (token.last == "0" ? "1" : "0")
    for path in ["/", "/api/rows?fetch=Note", "/\(wrong)/api/rows?fetch=Note", "/\(token)0/", "//", "/%00/api/store"] {
      let refused = try status(path)
      XCTAssertEqual(refused, 404, path)
    }
    for path in [
      "nothing", "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "api/",
      "api/../page.js", "Page/main.js", "main.js/", "index.html%00",
    ] {
      let missing = try status("/\(token)/\(path)")
      XCTAssertEqual(missing, 404, path)
    }
    for host in ["example.com", "example.com:\(port)", "127.0.0.1", "127.0.0.1.example.com:\(port)", ""] {
      let rebound = try status(rows, host: host)
      XCTAssertTrue([400, 421].contains(rebound), "\(host): \(rebound)")
    }
    for header in [
      "Origin: http://example.com", "Origin: null", "Origin: http://127.0.0.1:1", "Sec-Fetch-Site: cross-site",
      "Sec-Fetch-Site: same-site",
    ] {
      let foreign = try status(rows, headers: [header])
      XCTAssertEqual(foreign, 403, header)
    }
    let revert = "/\(token)/api/revert"
    let body = #"{"position":2,"save":true}"#
    for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
      let form = try status(revert, "POST", headers: ["Content-Type: \(type)"], body: body)
      XCTAssertEqual(form, 415, type)
    }
    let plain = try status(revert, "POST", body: body)
    XCTAssertEqual(plain, 415)
    let broken = try status(revert, "POST", headers: ["Content-Type: application/json"], body: "{")
    XCTAssertEqual(broken, 400)
    for method in ["PUT", "DELETE", "OPTIONS"] {
      let unknown = try status(rows, method)
      XCTAssertEqual(unknown, 405, method)
    }
  }

  func testReadingOnlyIsIgnored() async throws {
    let inspector = try InspectCommand(path)
    let body = #"{"position":2,"save":true}"#
    let answer = try RawRequest.send(
      """
      POST /\(inspector.token)/api/revert HTTP/1.1\r
      Host: 127.0.0.1:\(inspector.port)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      Connection: close\r
      \r
      \(body)
      """, to: inspector.port)
    XCTAssertEqual(answer.status, 403, answer.text)
    XCTAssertTrue(
      answer.text.contains("This inspector only reads. Start it for editing, with 'reprise inspect --edit'."),
      answer.text)
  }

  func testATakenPortHasNoReason() async throws {
    let first = try InspectCommand(path)
    XCTAssertThrowsError(try InspectCommand(path, ["--port", "\(first.port)"])) { error in
      let ended = error as? InspectCommand.Ended
      XCTAssertEqual(ended?.status, 1)
      let message =
        "The inspector cannot listen at port \(first.port), because another program does. Name another port, or 0 for "
        + "a free one."
      XCTAssertEqual(ended?.message.contains(message), true, "\(error)")
    }
  }

  func testCtrlCLeavesTheServer() async throws {
    let inspector = try InspectCommand(path)
    XCTAssertEqual(inspector.interrupt(), 0)
    XCTAssertThrowsError(try RawRequest.send("GET / HTTP/1.1\r\n\r\n", to: inspector.port))
    // Nothing holds the store.
    XCTAssertEqual(try Command.run(["compact", path]).status, 0)
  }

  func testCtrlCWaitsForAPage() async throws {
    let inspector = try InspectCommand(path)
    let events = try RawRequest.Connection(inspector.port)
    try events.send(
      "GET /\(inspector.token)/api/events HTTP/1.1\r\nHost: 127.0.0.1:\(inspector.port)\r\n\r\n")
    XCTAssertTrue(events.receive().hasPrefix("HTTP/1.1 200"))
    XCTAssertEqual(inspector.interrupt(), 0)
  }
}
