/// The name of a row's object in an archive: for an object of a store, its URI.
///
/// A string, so that data sources other than a store can name their rows too. An index path means nothing after a
/// relaunch; a model identifier does (UIKit's `UIDataSourceModelAssociation` has the same idea).
public struct ModelIdentifier: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The text that stands in the archive.
  public let rawValue: String

  /// An identifier of this text.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Reads a plain string.
  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(String.self)
  }

  /// Writes a plain string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  /// The text that stands in the archive.
  public var description: String { rawValue }
}
