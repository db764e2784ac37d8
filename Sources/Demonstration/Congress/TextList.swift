import RepriseCore

/// A few short texts as one attribute: stored joined by commas, those within them escaped.
struct TextList: AttributeValue, Equatable {
  var elements: [String]

  static var attributeKind: AttributeKind { .string }

  var joined: String { elements.map { Escaped.text($0, commas: true) }.joined(separator: ",") }

  var propertyValue: PropertyValue { joined.propertyValue }

  static func from(_ value: PropertyValue) -> TextList? {
    guard let joined = String.from(value) else { return nil }
    if joined.isEmpty { return TextList(elements: []) }
    return Escaped.split(joined, at: ",").map(TextList.init)
  }
}
