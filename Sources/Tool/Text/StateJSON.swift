import Foundation
import RepriseCore

/// The state of a screen as JSON. Bytes, references and integers beyond 64 bits are texts.
package struct StateJSON: Encodable {
  let value: StateValue

  package init(_ value: StateValue) { self.value = value }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package func encode(to encoder: any Encoder) throws {
    switch value {
    case .keyed(let values):
      var container = encoder.container(keyedBy: Key.self)
      for (name, value) in values { try container.encode(StateJSON(value), forKey: Key(stringValue: name)) }
      return
    case .list(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(StateJSON(value)) }
      return
    default: break
    }
    var container = encoder.singleValueContainer()
    switch value {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let number) where Int64(exactly: number) != nil: try container.encode(Int64(number))
    case .double(let number) where number.isFinite: try container.encode(number)
    case .text(let text): try container.encode(text)
    case .bytes(let bytes): try container.encode(Data(bytes))
    default: try container.encode(value.description)
    }
  }

  /// The value on one line, like JSON: `{"title": "Notes", "row": 3}`.
  package var line: String {
    switch value {
    case .keyed(let values):
      "{"
        + values.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)): \(StateJSON($0.value).line)" }
        .joined(separator: ", ") + "}"
    case .list(let values): "[" + values.map { StateJSON($0).line }.joined(separator: ", ") + "]"
    case .text(let text): Self.quoted(text)
    case .null: "null"
    default: PlainText.line(value.description)
    }
  }

  private static func quoted(_ text: String) -> String { ValueText.line(.string(text)) }
}
