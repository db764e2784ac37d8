public import RepriseObjectModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type of one's own as an attribute: a struct of several values, or an array or a dictionary of them.
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
/// The default is a constant: a static member, or `nil` of an optional.
///
/// Stored as JSON, with keys in order, so that equal values are equal texts, a change of one member is a short event of
/// the log, and tools can read it. Sets, and dictionaries whose keys are neither texts nor integers, are written in an
/// order that differs between processes: equal values are then different texts, and saves of them may be in conflict.
/// Use sorted arrays instead. A member that is added later needs a default in `init(from:)`, or the value reads as
/// the attribute's default and is reported in `readErrors`. What has to be searched, sorted or merged by itself is
/// better an attribute of its own, or a model.
///
/// Each read decodes. A value whose encoding throws is not stored: a save of it is refused with
/// `SaveError.invalidValues`, unless the attribute is optional and becomes `nil`.
public protocol CodableAttribute: AttributeValue, Codable {}

extension CodableAttribute {
  /// Stored as a text.
  public static var attributeKind: AttributeKind { .string }

  /// The stored form: JSON. Numbers that JSON lacks are texts in it.
  public var propertyValue: PropertyValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+∞", negativeInfinity: "-∞", nan: "NaN")
    guard let data = try? encoder.encode(self) else { return .null }
    return .string(String(decoding: data, as: UTF8.self))
  }

  /// From the stored form; `nil` for another kind, or a text that does not decode.
  public static func from(_ value: PropertyValue) -> Self? {
    guard case .string(let text) = value else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+∞", negativeInfinity: "-∞", nan: "NaN")
    return try? decoder.decode(Self.self, from: Data(text.utf8))
  }
}
