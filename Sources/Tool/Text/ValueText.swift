import Foundation
import RepriseCore
import RepriseDynamic

/// Values as people and programs read them.
package enum ValueText {
  /// A value on one line.
  package static func line(_ value: PropertyValue) -> String {
    switch value {
    case .string(let text): "\"\(PlainText.line(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")))\""
    case .date(let seconds): date(seconds)
    default: PlainText.line("\(value)")
    }
  }

  /// Date and time in UTC, so that output is equal everywhere.
  ///
  /// - Parameter seconds: The seconds since 2001.
  static func date(_ seconds: Double) -> String { DateText.line(seconds) ?? "\(seconds) s" }

  /// A number of bytes for people.
  package static func bytes(_ count: Int) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"]
    var (value, unit) = (Double(count), 0)
    while value >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
    // Not by a format of Foundation, because loading its locales takes longer than a whole report.
    let tenths = Int((value * 10).rounded())
    return unit == 0 ? "\(count) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}

/// A value in JSON. Numbers, texts and truth values are as JSON has them, and everything else is a text.
package struct ValueJSON: Encodable {
  package let value: PropertyValue

  package init(value: PropertyValue) { self.value = value }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .double(let value) where value.isFinite: try container.encode(value)
    case .double(let value): try container.encode("\(value)")
    case .string(let value): try container.encode(value)
    case .bytes(let value): try container.encode(Data(value))
    case .date(let seconds):
      try container.encode(ValueText.date(seconds))
    case .uuid(let value): try container.encode(value.description)
    case .reference(let id): try container.encode(id.description)
    case .blob(let blob): try container.encode(blob.description)
    }
  }
}
