import RepriseObjectModel

/// A position in the log: the number of a transaction. 0 is the state before the first one.
public struct Position: Hashable, Comparable, Sendable, Codable {
  @usableFromInline package let number: UInt64

  /// The position of the transaction with this number. The initialiser does not check whether a log has it.
  @inlinable public init(_ number: UInt64) { self.number = number }

  /// Decodes a position from its number.
  public init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(UInt64.self)
  }

  /// Encodes the number alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  /// Compares positions by their order in the log.
  @inlinable public static func < (lhs: Position, rhs: Position) -> Bool { lhs.number < rhs.number }
}

extension Position: CustomStringConvertible {
  /// The number of the position in decimal digits.
  public var description: String { String(number) }
}

extension Position: ExpressibleByIntegerLiteral {
  /// Makes a position from a literal, as in `store.log.head > 0`.
  @inlinable public init(integerLiteral number: UInt64) { self.init(number) }
}

extension Position: Strideable {
  /// The number of transactions from this position to `other`; negative if `other` comes first.
  @inlinable public func distance(to other: Position) -> Int { Int(bitPattern: UInt(other.number &- number)) }

  /// The position `count` transactions after this one, or before it if `count` is negative. It is never before 0. For
  /// example, a thousand before position 7 is 0.
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
