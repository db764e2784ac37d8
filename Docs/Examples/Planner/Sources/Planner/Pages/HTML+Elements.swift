import Reprise

extension HTML {
  /// Appends a button, which sends its action and `text`.
  ///
  /// - Parameters:
  ///   - label: The name of a button whose title is only a sign.
  ///   - question: The page asks it first.
  mutating func add(
    button action: String, text: String = "", _ title: String, label: String? = nil, confirm question: String? = nil
  ) {
    add("<button type='button' data-do='")
    add(text: action)
    add("' data-text='")
    add(text: text)
    if let label {
      add("' aria-label='")
      add(text: label)
    }
    if let question {
      add("' data-confirm='")
      add(text: question)
    }
    add("'>")
    add(text: title)
    add("</button>")
  }
}

extension PropertyValue {
  /// The value as a person reads it.
  var text: String {
    switch self {
    case .null: "nothing"
    case .string(let text): text
    case .bool(let isTrue): isTrue ? "yes" : "no"
    default: "\(self)"
    }
  }
}
