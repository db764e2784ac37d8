import Reprise

/// Five of them are a typical save: two indexes, and a text of some size.
@Model final class Track {
  @Attribute(.indexed) var title: String
  @Attribute(.indexed) var number: Int
  var text: String

  init(_ number: Int) {
    title = "Track \(number)"
    self.number = number
    text = String(repeating: "x", count: 40)
  }
}
