/// A value of an answer.
package enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  static func text(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }
  static func int(_ number: UInt64) -> JSON { .int(Int(clamping: number)) }
}

extension JSON: Encodable {
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let values): try values.encode(to: encoder)
    case .list(let values): try values.encode(to: encoder)
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .int(let value): try value.encode(to: encoder)
    case .double(let value): try value.encode(to: encoder)
    case .text(let value): try value.encode(to: encoder)
    }
  }
}
