/// What a person did on a page. The page numbers its inputs.
struct Input: Decodable, Sendable {
  let number: Int
  let action: String
  /// The ID of an editor.
  var editor: String?
  var field: String?
  var text: String?
  var start: Int?
  var end: Int?
  var row: Int?
  /// The place of the edited part in the text, in UTF-16 units.
  var at: Int?
  /// The length of the edited part, in UTF-16 units.
  var added: Int?
  /// The text that the edited part has replaced.
  var removed: String?

  /// Whether a person did something on purpose. The page also sends inputs for the caret and the scroll position.
  var isDeliberate: Bool { action != "focus" && action != "scroll" }

  /// The text that the person saw before the edit. `nil` if the page does not know it.
  var base: String? {
    guard let text, let at, let added, let removed else { return nil }
    let units = Array(text.utf16)
    guard at >= 0, added >= 0, at <= units.count, added <= units.count - at else { return nil }
    return String(decoding: units[..<at] + Array(removed.utf16) + units[(at + added)...], as: UTF16.self)
  }
}

struct InputBatch: Decodable, Sendable {
  let page: String
  let inputs: [Input]
  /// Whether inputs before the first one are lost, so that nobody can send them.
  var hasGap: Bool?
}

struct InputAnswer: Encodable, Sendable {
  /// The number of the last applied input. The page sends the inputs after it again.
  let applied: Int
}
