/// How texts are compared.
public struct TextOptions: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: UInt8

  /// Options from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Ignores case, by Unicode's full lower-case mapping, in no particular language.
  public static let ignoringCase = TextOptions(rawValue: 1)

  private static let known: TextOptions = [.ignoringCase]
}

extension TextOptions: Codable {
  /// Reads the bits; throws `DecodingError.dataCorrupted` for an option that this version does not have.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(rawValue: try container.decode(UInt8.self))
    guard isSubset(of: Self.known) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "an unknown text option")
    }
  }

  /// Writes the bits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
