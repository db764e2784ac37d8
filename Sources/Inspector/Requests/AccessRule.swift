/// Decides who may talk to the server.
///
/// Every page that the user visits can send requests to the loopback address. It can also give its host name the
/// loopback address, so that both have one origin (DNS rebinding). So a request needs the printed host name and
/// token.
package struct AccessRule: Sendable {
  /// The first component of each path.
  let token: String
  let port: Int

  package init(token: String, port: Int) { (self.token, self.port) = (token, port) }

  /// A request as the network delivers it.
  package struct Request: Sendable {
    var method: String
    /// With the token, without the query.
    var path: String
    var host: String?
    var origin: String?
    /// `Sec-Fetch-Site`, which a page cannot set.
    var site: String?
    var contentType: String?

    package init(
      method: String, path: String, host: String?, origin: String? = nil, site: String? = nil,
      contentType: String? = nil
    ) {
      (self.method, self.path, self.host) = (method, path, host)
      (self.origin, self.site, self.contentType) = (origin, site, contentType)
    }
  }

  package enum Verdict: Equatable, Sendable {
    /// The path after the token.
    case allowed(path: String)
    /// The page needs its directory as the base of its relative URLs.
    case redirected
    case refused(status: Int, message: String)
  }

  /// Browsers leave the usual port of HTTP out.
  private var hosts: [String] { ["127.0.0.1", "localhost", "[::1]"].map { port == 80 ? $0 : "\($0):\(port)" } }

  package func verdict(on request: Request) -> Verdict {
    guard let host = request.host?.lowercased(), hosts.contains(host) else {
      return .refused(status: 421, message: "This host name is not the inspector's. Use the URL that it has printed.")
    }
    if let origin = request.origin, origin.lowercased() != "http://\(host)" {
      return .refused(status: 403, message: "Other pages may not use the inspector.")
    }
    if let site = request.site, site != "same-origin", site != "none" {
      return .refused(status: 403, message: "Other pages may not use the inspector.")
    }
    let path = request.path.drop { $0 == "/" }
    let end = path.firstIndex(of: "/") ?? path.endIndex
    guard Self.areEqual(path[..<end].utf8, token.utf8) else {
      return .refused(status: 404, message: "The URL lacks the inspector's token. Use the URL that it has printed.")
    }
    if end == path.endIndex { return .redirected }
    switch request.method {
    case "GET": break
    case "POST":
      // A browser asks the inspector before the form of another page sends JSON.
      let type = request.contentType?.split(separator: ";").first.map { $0.lowercased() }
      guard type == "application/json" else {
        return .refused(status: 415, message: "The inspector expects JSON.")
      }
    default: return .refused(status: 405, message: "The inspector knows GET and POST only.")
    }
    return .allowed(path: String(path[end...].dropFirst()))
  }

  /// Takes the same time for all texts of one length, so the time does not tell how much of a token is right.
  private static func areEqual(_ left: Substring.UTF8View, _ right: String.UTF8View) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// A token of 128 random bits.
  package static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let word = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - word.count) + word
    }.joined()
  }
}
