#if HTTP
import Foundation
import RepriseRemote

/// A response as the server sent it.
struct HTTPResponse: Sendable {
  let status: Int
  let headers: [(name: String, value: String)]
  let body: [UInt8]

  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The kept response with the headers of a 304, because the link to the next page may have changed (RFC 9111, 4.3.4).
  func updated(by notModified: HTTPResponse) -> HTTPResponse {
    let names = Set(notModified.headers.map { $0.name.lowercased() })
    let rest = headers.filter { !names.contains($0.name.lowercased()) }
    return HTTPResponse(status: status, headers: rest + notModified.headers, body: body)
  }

  /// The target of a link with this relation (RFC 8288).
  func link(to relation: String) -> String? {
    for header in headers where header.name.lowercased() == "link" {
      // URLs may contain commas, but each is in angle brackets, so `,<` separates links.
      for link in header.value.components(separatedBy: ",<").flatMap({ $0.components(separatedBy: ", <") }) {
        let parts = link.split(separator: ">", maxSplits: 1)
        guard parts.count == 2 else { continue }
        let parameters = parts[1].split(separator: ";").map { $0.filter { $0 != " " && $0 != "\"" }.lowercased() }
        if parameters.contains("rel=" + relation) {
          return String(parts[0].drop { $0 == " " || $0 == "<" })
        }
      }
    }
    return nil
  }

  // MARK: Failures

  /// The error for a response with an unexpected status.
  var failure: RemoteError {
    switch status {
    case 401, 403: .denied(reason: reason)
    case 408, 425, 429, 500...: unavailable
    default: .malformed(reason: "status \(status): \(reason)")
    }
  }

  var unavailable: RemoteError { .unavailable(reason: "status \(status): \(reason)", retryAfter: retryAfter()) }

  /// The reason in the response's body, as readable text.
  var reason: String {
    if let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] {
      for key in ["detail", "title", "message", "error"] {
        if let text = object[key] as? String, !text.isEmpty { return text }
      }
    }
    let text = String(decoding: body.prefix(200), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? "no reason given" : text
  }

  /// A number of seconds, or a date (RFC 9110, 10.2.3). A date is by the server's clock, which the `Date` header shows.
  /// Without that header, this machine's clock counts.
  private func retryAfter() -> Duration? {
    guard let text = header("Retry-After") else { return nil }
    if let seconds = Int64(text), seconds >= 0 { return .seconds(min(seconds, 31_536_000)) }
    let now = header("Date").flatMap(Self.date) ?? Date()
    guard let seconds = Self.date(text)?.timeIntervalSince(now) else { return nil }
    return .milliseconds(Int64(max(0, min(seconds, 31_536_000)) * 1000))
  }

  /// Reads a date in one of the three formats that a recipient must accept (RFC 9110, 5.6.7).
  private static func date(_ text: String) -> Date? {
    let dates = DateFormatter()
    dates.locale = Locale(identifier: "en_US_POSIX")
    dates.timeZone = TimeZone(identifier: "GMT")
    for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
      dates.dateFormat = format
      if let date = dates.date(from: text) { return date }
    }
    return nil
  }
}
#endif
