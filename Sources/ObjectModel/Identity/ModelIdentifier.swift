/// The name of a row's object in an archive.
///
/// For an object of a store, the name is the object's URI. The name is a string, so that other data sources can also
/// name their rows. Unlike an index path, a model identifier is still valid after a relaunch. UIKit's
/// `UIDataSourceModelAssociation` uses the same idea.
public struct ModelIdentifier: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The text in the archive.
  public let rawValue: String

  /// Makes an identifier from a text.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Decodes a plain string.
  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes a plain string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  /// The text in the archive.
  public var description: String { rawValue }
}
