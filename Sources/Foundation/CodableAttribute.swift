public import RepriseObjectModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A `Codable` type as an attribute: a struct of several values, or an array or dictionary of structs.
///
/// ```swift
/// struct Address: CodableAttribute {
///   var street = ""
///   var city = ""
///   static let unknown = Address()
/// }
///
/// @Model final class Person {
///   var address: Address = .unknown
///   …
/// }
/// ```
///
/// The default must be a constant: a static member, or `nil` for an optional.
///
/// The value is stored as JSON with sorted keys. Equal values therefore have equal texts, the change of one member is a
/// short event of the log, and tools can read the value. Sets are an exception, and so are dictionaries whose keys are
/// neither texts nor integers. Their order differs between processes, so equal values can have different texts, and
/// saves may conflict. Use sorted arrays instead.
///
/// If you add a member later, give it a default in `init(from:)`. Otherwise, values that were stored before read as the
/// attribute's default, and `readErrors` reports them. If you need to search, sort or merge by one member, make the
/// member a separate attribute or use a model.
///
/// Each read decodes the value. If a value cannot be encoded, the save throws `SaveError.refused`. If the attribute is
/// optional, the save stores `nil` instead.
public protocol CodableAttribute: AttributeValue, Codable {}

extension CodableAttribute {
  /// The value is stored as a text.
  public static var attributeKind: AttributeKind { .string }

  /// The stored form: JSON. NaN and the infinities, which JSON lacks, are texts.
  public var propertyValue: PropertyValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+∞", negativeInfinity: "-∞", nan: "NaN")
    guard let data = try? encoder.encode(self) else { return .null }
    return .string(String(decoding: data, as: UTF8.self))
  }

  /// Converts a stored value. Returns `nil` for another kind, or for a text that does not decode.
  public static func from(_ value: PropertyValue) -> Self? {
    guard case .string(let text) = value else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+∞", negativeInfinity: "-∞", nan: "NaN")
    return try? decoder.decode(Self.self, from: Data(text.utf8))
  }
}
