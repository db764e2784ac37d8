/// A place in the log: the number of a transaction. 0 is before the first.
public struct Position: Hashable, Comparable, Sendable, Codable {
  package let sequence: UInt64

  /// The position of the transaction with this number.
  public init(_ sequence: UInt64) { self.sequence = sequence }

  /// Reads a plain number.
  public init(from decoder: any Decoder) throws {
    sequence = try decoder.singleValueContainer().decode(UInt64.self)
  }

  /// Writes a plain number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(sequence)
  }

  /// The order of the log.
  public static func < (lhs: Position, rhs: Position) -> Bool { lhs.sequence < rhs.sequence }
}

extension Position: CustomStringConvertible {
  /// The number.
  public var description: String { String(sequence) }
}
