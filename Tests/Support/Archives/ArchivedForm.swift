import Foundation

/// What a value becomes in an archive, here as JSON.
package enum ArchivedForm {
  package static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  package static func read<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  package static func roundTrip<Value: Codable>(_ value: Value) throws -> Value { try read(text(value)) }
}
