import RepriseRestoration

/// All nodes of a scene in one line: each with its ID, its kind and number, and what is typed in it, which one it shows
/// or which other one it knows; what is below it; in order. A node that is lost, doubled, another one or at another
/// place shows. Those that are deferred are made for it.
@MainActor struct SceneText {
  private(set) var text = ""
  private(set) var paths: [NodePath] = []

  init(_ restoration: Restoration) throws {
    try add(nil, restoration)
    if text.isEmpty { text = "-" }
  }

  private mutating func add(_ parent: NodePath?, _ restoration: Restoration) throws {
    for path in try restoration.children(of: parent) {
      paths.append(path)
      text += path.id + ":"
      if let box = try restoration.screen(Box.kind, at: path) {
        text += "box\(box.node.state.number)~\(box.node.state.turned)"
        if let selection = box.node.selection { text += "!\(selection)" }
      } else if let pane = try restoration.screen(Pane.kind, at: path) {
        text += "pane\(pane.node.state.number)~\(pane.node.state.typed)"
      } else if let card = try restoration.screen(at: path, as: Card.self) {
        text += "card\(card.number)"
        if let other = card.other { text += ">\(other.number)" }
      }
      text += "["
      try add(path, restoration)
      text += "]"
    }
  }
}
