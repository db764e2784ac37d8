#if PostgreSQL && canImport(CReprisePostgreSQL)
import CReprisePostgreSQL

/// The servers of a connection text.
///
/// libpq ignores `connect_timeout` if it does not block, and always begins with the first host. So the log tries the
/// hosts itself, one after the other.
struct LogAddress: Sendable {
  /// libpq's parameters for each host.
  let hosts: [[(key: String, value: String)]]
  /// The longest wait for each host.
  let connectTimeout: Duration
  /// Values that no error may have.
  private let secrets: [String]

  /// Defaults, which the user's text overrides. An idle connection notices in four seconds that the server is gone.
  private static let defaults = [
    "fallback_application_name": "reprise", "connect_timeout": "2", "tcp_user_timeout": "2000",
    "keepalives_idle": "2", "keepalives_interval": "1", "keepalives_count": "2",
    "target_session_attrs": "read-write",
  ]

  init(_ text: String) throws(PostgreSQLLogError) {
    // libpq's message quotes the part that it does not understand, such as the end of a password with a space.
    guard let written = Self.values(PQconninfoParse(text, nil)) else {
      throw .invalidConnection(reason: "libpq cannot parse it. Quote values with spaces, and encode signs in a URI")
    }
    try Self.checkSigns(written, isURI: text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"))
    var values = Self.defaults.merging(written) { _, written in written }
    values["client_encoding"] = "UTF8"
    secrets = [written["password"], written["sslpassword"]].compactMap { $0 }.filter { !$0.isEmpty }
    let seconds = values["connect_timeout"].flatMap { Int($0) } ?? 2
    connectTimeout = .seconds(seconds > 0 ? seconds : 3_600)
    let common = values.filter { !["host", "hostaddr", "port"].contains($0.key) }.sorted { $0.key < $1.key }
      .map { (key: $0.key, value: $0.value) }
    if written["service"] != nil {
      // libpq reads the file of services while it connects, and tries all hosts of the service.
      let places = written.filter { ["host", "hostaddr", "port"].contains($0.key) }
      hosts = [places.map { (key: $0.key, value: $0.value) } + common]
    } else {
      hosts = try Self.places(written).map { $0 + common }
    }
  }

  /// A password that is not encoded can end up in the host, the port or the name of the database. libpq's messages
  /// quote these.
  private static func checkSigns(_ written: [String: String], isURI: Bool) throws(PostgreSQLLogError) {
    // The name of an abstract socket begins with the sign.
    let hasSign = ["host", "hostaddr"].contains { key in
      list(written[key] ?? "").contains { $0.dropFirst().contains("@") }
    }
    if hasSign || isURI && written["dbname"]?.contains("@") == true {
      throw .invalidConnection(reason: "a host or the database has an '@'. Encode the password in a URI")
    }
    if let ports = written["port"], !list(ports).allSatisfy({ $0.isEmpty || Int($0) != nil }) {
      throw .invalidConnection(reason: "a port is not a number")
    }
  }

  /// Host, address and port of each server.
  private static func places(
    _ written: [String: String]
  ) throws(PostgreSQLLogError) -> [[(key: String, value: String)]] {
    // Environment variables, and PGSERVICE.
    let defaults = values(PQconndefaults()) ?? [:]
    let isNamed = written["host"] != nil || written["hostaddr"] != nil
    let source = isNamed ? written : defaults
    let lists = ["host", "hostaddr"].compactMap { key in
      source[key].flatMap { $0.isEmpty ? nil : (key: key, values: list($0)) }
    }
    let count = lists.first?.values.count ?? 1
    let ports = list(written["port"] ?? defaults["port"] ?? "")
    guard lists.allSatisfy({ $0.values.count == count }), ports.count == 1 || ports.count == count else {
      throw .invalidConnection(reason: "host, hostaddr and port have different numbers of values")
    }
    return (0..<count).map { index in
      let port = ports.count == 1 ? ports[0] : ports[index]
      return lists.map { (key: $0.key, value: $0.values[index]) } + (port.isEmpty ? [] : [(key: "port", value: port)])
    }
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Frees libpq's options. `nil` if there are none.
  private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]? {
    guard let options else { return nil }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let key = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: key)] = String(cString: value) }
      option += 1
    }
    return values
  }

  // MARK: Errors

  /// libpq's message as a part of a sentence, without passwords.
  ///
  /// - password: The password that libpq used. It may come from the environment or a file.
  func reason(_ message: String, password: String? = nil) -> String {
    var text = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for secret in secrets + [password].compactMap({ $0 }) where !secret.isEmpty {
      text = text.hiding(secret)
    }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

extension String {
  /// The text with `***` in the place of a part. The library's `replacing` would link regular expressions.
  fileprivate func hiding(_ part: String) -> String {
    let (text, part) = (Array(utf8), Array(part.utf8))
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index...].starts(with: part) {
        result += "***".utf8
        index += part.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
#endif
