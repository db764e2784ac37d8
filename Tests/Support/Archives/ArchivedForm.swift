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

  /// The reason why damaged text is not read.
  package static func problem<Value: Decodable>(of text: String, as type: Value.Type) -> String? {
    do {
      _ = try read(text, as: type)
      return nil
    } catch DecodingError.dataCorrupted(let context) {
      return context.debugDescription
    } catch {
      return "\(error)"
    }
  }

  package static func roundTrip<Value: Codable>(_ value: Value) throws -> Value { try read(text(value)) }
}
