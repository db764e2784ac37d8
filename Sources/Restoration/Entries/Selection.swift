import RepriseObjectModel

/// The visible children of a node as one text: their IDs joined with slashes, the one in front first. Empty if all are
/// visible. No ID has a slash.
enum Selection {
  static func text(_ ids: [String]) -> String {
    var text = ""
    var seen: Set<String> = []
    for id in ids {
      let id = ComposedText.composed(id)
      // Skips texts that cannot be the ID of a child.
      if id.isEmpty || id.utf8.contains(UInt8(ascii: "/")) || !seen.insert(id).inserted { continue }
      text += text.isEmpty ? id : "/" + id
    }
    return text
  }

  static func ids(_ text: String) -> [String] { text.isEmpty ? [] : text.split(separator: "/").map(String.init) }
}
