/// A JSON value. Parsed without Foundation, which takes the restarted program milliseconds to load.
enum JSON: Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case double(Double)
  case string(String)
  case array([JSON])
  /// In the order of the text.
  case object([(key: String, value: JSON)])

  static func == (lhs: JSON, rhs: JSON) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.bool(let l), .bool(let r)): l == r
    case (.integer(let l), .integer(let r)): l == r
    case (.double(let l), .double(let r)): l == r
    case (.string(let l), .string(let r)): l == r
    case (.array(let l), .array(let r)): l == r
    case (.object(let l), .object(let r)): l.elementsEqual(r) { $0.key == $1.key && $0.value == $1.value }
    default: false
    }
  }

  /// The value in a text.
  init(_ text: ArraySlice<UInt8>) throws(JSONError) {
    self = try text.withUnsafeBufferPointer { bytes throws(JSONError) in
      var reader = JSONReader(bytes)
      return try reader.whole()
    }
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int? { if case .integer(let number) = self { number } else { nil } }
  var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
  var object: [(key: String, value: JSON)]? { if case .object(let members) = self { members } else { nil } }

  subscript(key: String) -> JSON? { object?.first { $0.key == key }?.value }
}

/// A text that is not JSON.
struct JSONError: Error, CustomStringConvertible {
  let expected: String
  let offset: Int

  var description: String { "at byte \(offset): expected \(expected)" }
}
