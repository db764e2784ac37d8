extension PropertyValue {
  private static var longestText: Int { 100 }

  /// The value as a message shows it. Bytes have the form of the attribute's type, such as 19.99. Only the beginning of
  /// a long value is shown.
  package func text(as type: (any AttributeValue.Type)?) -> String {
    let text = type?._text(of: self) ?? description
    guard let end = text.index(text.startIndex, offsetBy: Self.longestText, limitedBy: text.endIndex),
      end < text.endIndex
    else { return text }
    return "\(text[..<end])…"
  }
}

/// The Swift types of the values in an error, for its message. They do not affect equality.
package struct ValueTypes: Hashable, Sendable {
  private let types: [(any AttributeValue.Type)?]

  package init(_ types: [(any AttributeValue.Type)?] = []) { self.types = types }

  /// The name of a type. `nil` if it is not known.
  package func name(at place: Int = 0) -> String? { type(at: place).map { "\($0)" } }

  package func text(_ value: PropertyValue, at place: Int = 0) -> String { value.text(as: type(at: place)) }

  private func type(at place: Int) -> (any AttributeValue.Type)? { types.indices.contains(place) ? types[place] : nil }

  package static func == (lhs: ValueTypes, rhs: ValueTypes) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}
