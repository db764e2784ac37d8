#if Macros
/// A screen of the demonstration: lines of text, as wide as half a terminal.
@MainActor protocol Screen: AnyObject {
  var title: String { get }
  func lines() -> [String]
}

extension Screen {
  /// What the user sees of it.
  func drawn() -> [String] { ScreenText.framed(title, lines()) }
}

enum ScreenText {
  static let width = 47
  /// Begins the line with a screen's title.
  static let titleMark = "■ "
  /// Stands where the user was typing.
  static let caret = "▏"

  static func framed(_ title: String, _ lines: [String]) -> [String] {
    ([titleMark + title] + lines.map { "  " + $0 }).map { $0.count > width ? $0.padded(to: width) : $0 }
  }

  /// A field of a form, with the caret if the user is in it.
  static func field(_ name: String, _ text: String?, caret: Int? = nil) -> String {
    var shown = text ?? "—"
    if let caret {
      let typed = text ?? ""
      shown = typed.prefix(caret) + ScreenText.caret + typed.dropFirst(caret)
    }
    return name.padded(to: 13) + " " + shown
  }
}
#endif
