import Foundation

/// The messages of the server to a page, as server-sent events.
enum ServerEvent {
  /// The first message of a connection. The page sends the inputs after `applied` again.
  static func hello(applied: Int) -> String { event("hello", Hello(applied: applied)) }

  /// - Parameter input: The last input that the markup shows. The page keeps the text of fields with later inputs.
  static func region(_ name: String, html: String, input: Int) -> String {
    event("region", Region(name: name, html: html, input: input))
  }

  /// - Parameter safe: The last input that survives a kill. The page forgets its inputs up to this one.
  static func applied(_ applied: Int, safe: Int) -> String { event("applied", Applied(applied: applied, safe: safe)) }

  /// A comment, which the page ignores.
  static let ping = ":\n\n"

  private struct Hello: Encodable {
    let applied: Int
  }

  private struct Region: Encodable {
    let name: String
    let html: String
    let input: Int
  }

  private struct Applied: Encodable {
    let applied: Int
    let safe: Int
  }

  private static func event(_ name: String, _ value: some Encodable) -> String {
    // JSON has no line ends of its own.
    let data = (try? JSONEncoder().encode(value)) ?? Data()
    return "event: \(name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
  }
}
