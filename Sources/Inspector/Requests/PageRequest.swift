import Foundation
import RepriseCore

/// A request of the page, without the protocol of the network.
package struct PageRequest: Sendable {
  package enum Method: String, Sendable { case get = "GET", post = "POST" }

  package let method: Method
  /// The path after the token: `api/rows`, or the name of a file.
  package let path: String
  /// The decoded items of the query. The last one of a name counts.
  package var query: [String: String] = [:]
  package var body: [UInt8] = []

  package init(_ method: Method, _ path: String, query: [String: String] = [:], body: [UInt8] = []) {
    (self.method, self.path, self.query, self.body) = (method, path, query, body)
  }

  /// A parameter that must have a value.
  func required(_ name: String) throws(PageFailure) -> String {
    guard let value = query[name], !value.isEmpty else { throw .missing(name) }
    return value
  }

  /// The value of an optional parameter. An empty one counts as missing, because an empty field of a form is sent so.
  func optional(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// A number from 0 to a maximum, which also limits larger numbers.
  func number(_ name: String, or standard: Int, upTo maximum: Int = .max) throws(PageFailure) -> Int {
    guard let text = optional(name) else { return min(standard, maximum) }
    guard let number = Int(text), number >= 0 else { throw .notANumber(name, text) }
    return min(number, maximum)
  }

  /// A position of the log.
  func position(_ name: String) throws(PageFailure) -> Position? {
    guard let text = optional(name) else { return nil }
    guard let number = UInt64(text) else { throw .notANumber(name, text) }
    return Position(number)
  }

  /// The body as JSON of a type.
  func decoded<Value: Decodable>() throws -> Value {
    do { return try JSONDecoder().decode(Value.self, from: Data(body)) } catch {
      throw PageFailure.body("it is not the JSON that '\(path)' expects.")
    }
  }
}
