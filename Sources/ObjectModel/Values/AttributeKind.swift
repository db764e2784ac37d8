/// The kind of value that an attribute stores.
@frozen
public enum AttributeKind: UInt8, Hashable, Sendable, CaseIterable {
  /// `Bool`.
  case bool = 1
  /// Signed integers, and unsigned ones up to 32 bits.
  case int = 2
  /// `UInt` and `UInt64`.
  case unsigned = 3
  /// `Double` and `Float`.
  case double = 4
  /// `String`.
  case string = 5
  /// `[UInt8]`, other arrays, sets and dictionaries, and Foundation's `Data`.
  case bytes = 6
  /// Foundation's `Date`.
  case date = 7
  /// ``UniqueID``, and Foundation's `UUID`.
  case uuid = 8
  /// ``Blob``.
  case blob = 9
}

extension AttributeKind {
  /// The value of an attribute of this kind if nothing else is known.
  package var zero: PropertyValue {
    switch self {
    case .bool: .bool(false)
    case .int: .int(0)
    case .unsigned: .unsigned(0)
    case .double: .double(0)
    case .string: .string("")
    case .bytes: .bytes([])
    case .date: .date(0)
    case .uuid: .uuid(.zero)
    case .blob: .blob(.empty)
    }
  }

  package func accepts(_ value: PropertyValue) -> Bool {
    switch (self, value) {
    case (.bool, .bool), (.int, .int), (.unsigned, .unsigned), (.double, .double), (.string, .string), (.bytes, .bytes),
      (.date, .date), (.uuid, .uuid), (.blob, .blob):
      true
    default: false
    }
  }
}
