import RepriseCore
import RepriseDynamic

/// The values of attributes as a reader of the page writes them into a field.
package enum WrittenValue {
  /// The text of a value. ``value(_:of:)`` makes the same value of it. `nil` for nil, data, blobs and references. Also
  /// for a text of the store, because the page has it among the values.
  package static func text(of value: PropertyValue) -> String? {
    switch value {
    case .null, .string, .bytes, .blob, .reference: nil
    case .bool(let value): "\(value)"
    case .int(let number): "\(number)"
    case .unsigned(let number): "\(number)"
    case .double(let number): "\(number)"
    case .uuid(let id): id.description
    case .date(let seconds): date(DateText.written(seconds))
    }
  }

  /// The page shows dates and times with a space, and without the zone, which is always UTC.
  private static func date(_ text: String) -> String {
    text.hasSuffix("Z") ? String(text.dropLast()).replacing("T", with: " ") : text
  }

  /// The value of a text. `nil` if the text is none of the kind.
  package static func value(_ text: String, of kind: AttributeKind) -> PropertyValue? {
    if kind == .string { return .string(text) }
    let word = text.filter { !$0.isNewline }.split(separator: " ").joined(separator: " ")
    return switch kind {
    case .bool: ["true": true, "false": false][word].map { .bool($0) }
    case .int: Int64(word).map { .int($0) }
    case .unsigned: UInt64(word).map { .unsigned($0) }
    case .double: Double(word).map { .double($0) }
    case .uuid: UniqueID(word).map { .uuid($0) }
    case .date: seconds(word).map { .date($0) }
    case .string, .bytes, .blob: nil
    }
  }

  /// A date, or a date with a time in UTC. Another zone has its difference at the end, such as `+01:00`.
  private static func seconds(_ word: String) -> Double? {
    if word.hasPrefix("date("), word.hasSuffix(")") { return Double(word.dropFirst(5).dropLast()) }
    if word.count == 10 { return DateText.seconds(word) }
    let (day, time) = (word.prefix(10), word.dropFirst(11))
    guard " T".contains(word.dropFirst(10).prefix(1)) else { return nil }
    return DateText.seconds("\(day)T\(time)\(time.contains { "Z+-".contains($0) } ? "" : "Z")")
  }

  /// The values of a kind, and the next step for a reader who has written something else. `nil` if the page has no
  /// field for the kind.
  package static func hint(_ kind: AttributeKind) -> String? {
    switch kind {
    case .string: "Write a text."
    case .bool: "Write true or false."
    case .int: "Write a whole number, such as -42."
    case .unsigned: "Write a whole number from 0, such as 42."
    case .double: "Write a number, such as 4.5."
    case .uuid: "Write a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057."
    case .date: "Write a date or a time in UTC, such as 2026-11-20 18:30."
    case .bytes, .blob: nil
    }
  }
}
