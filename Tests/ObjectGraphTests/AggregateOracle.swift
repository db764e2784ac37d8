import Foundation
import RepriseObjectModel

/// Aggregates by loading objects, with none of the library's own comparisons.
enum AggregateOracle {
  /// What compares equal has the same.
  static func mark(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): "text " + scalars(text).map { String($0, radix: 16) }.joined(separator: ",")
    case .double(let number): number.isNaN ? "NaN" : "real \(number == 0 ? 0 : number)"
    default: value.description
    }
  }

  static func precedes(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
    switch (left, right) {
    case (.null, .null): false
    case (.null, _): true
    case (_, .null): false
    case (.string(let l), .string(let r)): scalars(l).lexicographicallyPrecedes(scalars(r))
    case (.double(let l), .double(let r)): l.isNaN ? false : r.isNaN ? true : l < r
    case (.int(let l), .int(let r)): l < r
    case (.unsigned(let l), .unsigned(let r)): l < r
    case (.bool(let l), .bool(let r)): !l && r
    case (.bytes(let l), .bytes(let r)): l.lexicographicallyPrecedes(r)
    case (.reference(let l), .reference(let r)): l.uuid < r.uuid
    default: false
    }
  }

  private static func scalars(_ text: String) -> [UInt32] {
    text.precomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
  }

  /// Different values in ascending order; the first of those that compare equal.
  static func distinct(_ values: [PropertyValue]) -> [PropertyValue] {
    var seen: Set<String> = []
    return values.filter { !$0.isNull && seen.insert(mark($0)).inserted }.sorted(by: precedes)
  }

  static func minimum(_ values: [PropertyValue]) -> PropertyValue { distinct(values).first ?? .null }
  static func maximum(_ values: [PropertyValue]) -> PropertyValue { distinct(values).last ?? .null }
}

extension PropertyValue {
  /// To the last byte and bit.
  func isExactly(_ other: PropertyValue) -> Bool { isIdentical(to: other) }
}
