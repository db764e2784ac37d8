import RepriseInspector
import XCTest

/// Somebody else than the reader of the URL gets an answer.
final class AccessRuleTests: XCTestCase {
  private let rule = AccessRule(token: "secret", port: 4000)

  private func verdict(
    _ method: String = "GET", _ path: String = "/secret/api/store", host: String? = "127.0.0.1:4000",
    origin: String? = nil, site: String? = nil, type: String? = nil
  ) -> AccessRule.Verdict {
    rule.verdict(
      on: AccessRule.Request(method: method, path: path, host: host, origin: origin, site: site, contentType: type))
  }

  private func status(_ verdict: AccessRule.Verdict) -> Int? {
    if case .refused(let status, _) = verdict { status } else { nil }
  }

  func testThePageItselfIsAllowed() {
    XCTAssertEqual(verdict(), .allowed(path: "api/store"))
    XCTAssertEqual(verdict("GET", "/secret/"), .allowed(path: ""))
    XCTAssertEqual(verdict("GET", "/secret"), .redirected)
    XCTAssertEqual(verdict(host: "LOCALHOST:4000"), .allowed(path: "api/store"))
    XCTAssertEqual(
      verdict("POST", origin: "http://127.0.0.1:4000", site: "same-origin", type: "application/json; charset=utf-8"),
      .allowed(path: "api/store"))
  }

  func testAReboundHostNameIsRefused() {
    for host in ["evil.example:4000", "127.0.0.1:4001", "127.0.0.1", "127.0.0.1:4000.evil.example", "", nil] {
      XCTAssertEqual(
        verdict(host: host),
        .refused(status: 421, message: "This host name is not the inspector's. Use the URL that it has printed."))
    }
  }

  func testAnotherOriginIsRefused() {
    let refused = AccessRule.Verdict.refused(status: 403, message: "Other pages may not use the inspector.")
    for origin in [
      "http://evil.example", "null", "https://127.0.0.1:4000", "http://localhost:4000", "http://127.0.0.1:80",
    ] {
      XCTAssertEqual(verdict(origin: origin), refused)
    }
    XCTAssertEqual(verdict(site: "cross-site"), refused)
    XCTAssertEqual(verdict(site: "same-site"), refused)
    XCTAssertEqual(verdict(site: "none"), .allowed(path: "api/store"))
  }

  func testAWrongTokenIsRefused() {
    for path in ["/", "", "/api/store", "/secre/api/store", "/secrets/api/store", "/SECRET/api/store", "/x/../secret/"]
    {
      XCTAssertEqual(
        verdict("GET", path),
        .refused(status: 404, message: "The URL lacks the inspector's token. Use the URL that it has printed."))
    }
  }

  func testAFormOfAnotherPageIsRefused() {
    XCTAssertEqual(
      verdict("POST", type: "text/plain"), .refused(status: 415, message: "The inspector expects JSON."))
    XCTAssertEqual(status(verdict("POST")), 415)
    XCTAssertEqual(
      verdict("DELETE"), .refused(status: 405, message: "The inspector knows GET and POST only."))
  }

  func testATokenCanBeGuessed() {
    let tokens = Set((0..<100).map { _ in AccessRule.makeToken() })
    XCTAssertEqual(tokens.count, 100)
    XCTAssertTrue(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }
}
