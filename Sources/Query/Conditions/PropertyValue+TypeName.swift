import RepriseObjectModel

extension PropertyValue {
  /// The type of the value as errors name it.
  var typeName: String {
    switch self {
    case .null: "nil"
    case .bool: "a truth value"
    case .int: "an integer"
    case .unsigned: "an unsigned integer"
    case .double: "a floating-point number"
    case .string: "a text"
    case .bytes: "bytes"
    case .date: "a date"
    case .uuid: "a UUID"
    case .blob: "a blob"
    case .reference(let id): "an object of \(id.entity)"
    }
  }
}
