extension Property {
  /// The kinds of values that need no further test, as bits. They are nil, and the kind of an attribute whose type
  /// reads all values of that kind. It is one byte, so that a loop over many objects copies no properties.
  package var plainValues: UInt8 {
    switch role {
    case .attribute(let attribute):
      (attribute.readsEveryValue ? attribute.kind.rawValue : 0) | (attribute.isOptional ? 128 : 0)
    case .toOne, .toMany: 128
    case .index: 0
    }
  }
}

extension PropertyValue {
  /// Whether ``Property/plainValues`` include it.
  @inlinable package func isPlain(among values: UInt8) -> Bool {
    let kind: AttributeKind
    switch self {
    case .null: return values & 128 != 0
    case .reference: return false
    case .bool: kind = .bool
    case .int: kind = .int
    case .unsigned: kind = .unsigned
    case .double: kind = .double
    case .string: kind = .string
    case .bytes: kind = .bytes
    case .date: kind = .date
    case .uuid: kind = .uuid
    case .blob: kind = .blob
    }
    return values & 127 == kind.rawValue
  }
}
