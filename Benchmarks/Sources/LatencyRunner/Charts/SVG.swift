/// An SVG document, written element by element.
struct SVG {
  private let width: Int
  private let height: Int
  private let style: String
  private var elements: [String] = []

  init(width: Int, height: Int, style: String) {
    self.width = width
    self.height = height
    self.style = style
  }

  mutating func add(_ name: String, _ attributes: KeyValuePairs<String, String>, text: String? = nil) {
    let written = attributes.map { " \($0)=\"\(Self.escaped($1))\"" }.joined()
    elements.append(text.map { "<\(name)\(written)>\(Self.escaped($0))</\(name)>" } ?? "<\(name)\(written)/>")
  }

  var text: String {
    let size = "width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\""
    let opening = "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) role=\"img\">"
    return ([opening, "<style>", style, "</style>"] + elements + ["</svg>", ""]).joined(separator: "\n")
  }

  static func coordinate(_ value: Double) -> String { Numbers.fixed(value, 1) }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
  }
}
