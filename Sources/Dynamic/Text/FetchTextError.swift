import RepriseObjectModel

/// The reason why the text of a fetch cannot be read, with its place.
@nonexhaustive
public enum FetchTextError: RepriseError, Hashable {
  /// The grammar does not allow the text at this place.
  ///
  /// `FetchText.init` and `Fetch.init(text:)` throw it. Show the place to the person who wrote the text.
  case unexpected(found: String, expected: String, at: TextPlace)
  /// A number, a text, a date or another literal is not valid. The place is inside the literal if one sign is wrong.
  ///
  /// `FetchText.init` and `Fetch.init(text:)` throw it. Correct the literal.
  case invalidLiteral(String, reason: String, at: TextPlace)
  /// No model has this name.
  ///
  /// `FetchText.fetch(_:)`, `FetchText.entity(among:)` and `Fetch.init(text:)` throw it. Correct the name.
  case unknownEntity(String, suggestion: String?, at: TextPlace)
  /// The model has no such property.
  ///
  /// `FetchText.fetch(_:)` and `Fetch.init(text:)` throw it. Correct the name.
  case unknownProperty(String, entity: String, suggestion: String?, at: TextPlace)
  /// The property exists, but is not of the kind that its place needs.
  ///
  /// `FetchText.fetch(_:)` and `Fetch.init(text:)` throw it. Name another property.
  case wrongProperty(String, entity: String, expected: String, at: TextPlace)
  /// Two values of different types are compared or computed.
  ///
  /// `FetchText.fetch(_:)` and `Fetch.init(text:)` throw it. Write a value of the expected type.
  case wrongType(expected: String, found: String, at: TextPlace)
}

extension FetchTextError {
  /// The place of the mistake in the text.
  public var place: TextPlace {
    switch self {
    case .unexpected(_, _, let place), .invalidLiteral(_, _, let place), .unknownEntity(_, _, let place),
      .unknownProperty(_, _, _, let place), .wrongProperty(_, _, _, let place), .wrongType(_, _, let place):
      place
    }
  }
}

extension FetchTextError: CustomStringConvertible {
  /// The failure with its place, its cause, and the next step.
  public var description: String {
    switch self {
    case .unexpected(let found, let expected, let place):
      "\(place): the text has \(found), but the grammar expects \(expected). Correct the text there."
    case .invalidLiteral(let literal, let reason, let place):
      "\(place): '\(literal)' is not valid: \(reason). Correct it."
    case .unknownEntity(let name, let suggestion?, let place):
      "\(place): there is no model '\(shown(name))'. Did you mean '\(shown(suggestion))'? Correct the name."
    case .unknownEntity(let name, nil, let place):
      "\(place): there is no model '\(shown(name))'. Correct the name, or open the store with that model."
    case .unknownProperty(let name, let entity, let suggestion?, let place):
      "\(place): \(shown(entity)) has no property '\(shown(name))'. "
        + "Did you mean '\(shown(suggestion))'? Correct the name."
    case .unknownProperty(let name, let entity, nil, let place):
      "\(place): \(shown(entity)) has no property '\(shown(name))'. Use one of the properties that its `entity` lists."
    case .wrongProperty(let name, let entity, let expected, let place):
      "\(place): \(shown(entity)).\(shown(name)) is not \(expected). "
        + "Name another property, or use `any`, `all` or `count` "
        + "for the members of a to-many relationship."
    case .wrongType(let expected, let found, let place):
      "\(place): the value must be \(expected), but is \(found). Correct the value, or name another property."
    }
  }

  /// Names may have characters that a terminal obeys.
  private func shown(_ name: String) -> String { QuotedText.visible(name) }
}

/// A place in a text.
public struct TextPlace: Hashable, Sendable {
  /// The number of UTF-8 bytes before the place.
  public let utf8Offset: Int
  /// The number of the line, from 1.
  public let line: Int
  /// The number of the character in its line, from 1. Each character of Swift counts once.
  public let column: Int

  package init(utf8Offset: Int, line: Int, column: Int) {
    (self.utf8Offset, self.line, self.column) = (utf8Offset, line, column)
  }

  /// - Parameter offset: At most the number of bytes.
  init(_ offset: Int, in bytes: [UInt8]) {
    let before = bytes[..<offset]
    let start = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    utf8Offset = offset
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    column = String(decoding: before[start...], as: UTF8.self).count + 1
  }
}

extension TextPlace: CustomStringConvertible {
  /// The line and the column, as in "Line 1, column 12".
  public var description: String { "Line \(line), column \(column)" }
}
