/// The value of one property, as the log records it.
///
/// You see it in conflicts and in history. Models use Swift's own types, and ``AttributeValue`` converts between both.
@frozen
public enum PropertyValue: Hashable, Sendable {
  /// No value: `nil`.
  case null
  /// A truth value.
  case bool(Bool)
  /// A signed integer, or an unsigned one of up to 32 bits.
  case int(Int64)
  /// A `UInt` or `UInt64`.
  case unsigned(UInt64)
  /// A `Double` or `Float`, compared bit by bit: NaN equals itself, and 0 does not equal -0.
  case double(Double)
  /// A text. Canonically equivalent texts are equal, like Swift strings.
  case string(String)
  /// Bytes, including encoded arrays, sets and dictionaries.
  case bytes([UInt8])
  /// A point in time, in seconds since 2001-01-01 00:00:00 UTC, exactly as in Foundation's `Date`.
  case date(Double)
  /// A UUID.
  case uuid(UniqueID)
  /// A reference to the object of a to-one relationship.
  case reference(AnyObjectID)
  /// A large value, by name.
  case blob(Blob)
}

extension PropertyValue {
  /// Returns whether both have the same kind and value. Numbers are compared bit by bit.
  public static func == (lhs: PropertyValue, rhs: PropertyValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.bool(let l), .bool(let r)): l == r
    case (.int(let l), .int(let r)): l == r
    case (.unsigned(let l), .unsigned(let r)): l == r
    case (.double(let l), .double(let r)): l.bitPattern == r.bitPattern
    case (.string(let l), .string(let r)): l == r
    case (.bytes(let l), .bytes(let r)): l == r
    case (.date(let l), .date(let r)): l.bitPattern == r.bitPattern
    case (.uuid(let l), .uuid(let r)): l == r
    case (.reference(let l), .reference(let r)): l == r
    case (.blob(let l), .blob(let r)): l == r
    default: false
    }
  }

  /// Hashes the kind and the value.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .unsigned(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.bitPattern)
    case .string(let value): hasher.combine(value)
    case .bytes(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value.bitPattern)
    case .uuid(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    case .blob(let value): hasher.combine(value)
    }
  }

  /// Whether both values are equal in every byte. Canonically equivalent texts with different bytes are not. Updates
  /// compare in this way, because storing the other spelling is a change.
  package func isIdentical(to other: PropertyValue) -> Bool {
    if case .string(let l) = self, case .string(let r) = other {
      let areSame = l.utf8.withContiguousStorageIfAvailable { left in
        r.utf8.withContiguousStorageIfAvailable { right in
          left.count == right.count && compareBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) == 0
        }
      }
      // Only bridged strings have no contiguous UTF-8.
      return (areSame ?? nil) ?? l.utf8.elementsEqual(r.utf8)
    }
    return self == other
  }

  /// Whether the value is a quantity, so that numbers can be added to it.
  package var isNumber: Bool {
    switch self {
    case .int, .unsigned, .double: true
    case .null, .bool, .string, .bytes, .date, .uuid, .reference, .blob: false
    }
  }

  @inlinable package var isNull: Bool { if case .null = self { true } else { false } }

  package var blob: Blob? { if case .blob(let blob) = self { blob } else { nil } }

  package var reference: AnyObjectID? { if case .reference(let id) = self { id } else { nil } }
}

extension PropertyValue: CustomStringConvertible {
  /// The value as text for people. Texts are in quotation marks.
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .unsigned(let value): String(value)
    case .double(let value): value.description
    case .string(let value): "\"\(value)\""
    case .bytes(let value): "\(value.count) bytes"
    case .date(let value): CalendarDay.moment(value)
    case .uuid(let value): value.description
    case .reference(let value): value.description
    case .blob(let value): value.description
    }
  }
}
