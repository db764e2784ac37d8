import RepriseObjectModel

/// A position in the log: the number of a transaction. 0 is before the first.
public struct Position: Hashable, Comparable, Sendable, Codable {
  @usableFromInline package let number: UInt64

  /// The position of the transaction with this number.
  @inlinable public init(_ number: UInt64) { self.number = number }

  /// Decodes a plain number.
  public init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(UInt64.self)
  }

  /// Encodes a plain number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  /// The order of the log.
  @inlinable public static func < (lhs: Position, rhs: Position) -> Bool { lhs.number < rhs.number }
}

extension Position: CustomStringConvertible {
  /// The number.
  public var description: String { String(number) }
}

extension Position: ExpressibleByIntegerLiteral {
  /// The number of a transaction, as in `store.log.head > 0`.
  @inlinable public init(integerLiteral number: UInt64) { self.init(number) }
}

extension Position: Strideable {
  /// The number of transactions from this position to `other`; negative if `other` comes first.
  @inlinable public func distance(to other: Position) -> Int { Int(bitPattern: UInt(other.number &- number)) }

  /// The position `count` transactions further on, or back if it is negative, at most to 0: a thousand back in a young
  /// store is its beginning.
  @inlinable public func advanced(by count: Int) -> Position {
    let distance = UInt64(count.magnitude)
    if count < 0 { return Position(number - min(number, distance)) }
    return Position(number + min(.max - number, distance))
  }
}

extension Position {
  @inlinable package static func + (position: Position, count: Int) -> Position { position.advanced(by: count) }

  @inlinable package static func - (position: Position, count: Int) -> Position { position.advanced(by: -count) }
}

extension ByteWriter {
  @inlinable package mutating func position(_ position: Position) { varint(position.number) }
}

extension ByteReader {
  @inlinable package mutating func position(_ what: StaticString = "a position") throws(MalformedBytes) -> Position {
    Position(try varint(what))
  }
}
