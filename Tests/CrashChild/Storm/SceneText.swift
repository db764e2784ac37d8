import RepriseRestoration

/// All nodes of a scene in one line: which ones it shows; each with its ID, its kind and number, and what is typed in
/// it, which ones it shows or which other one it knows; what is below it; in order. A node that is lost, doubled,
/// another one or at another place shows. Those that are deferred are made for it.
@MainActor struct SceneText {
  private(set) var text = ""
  private(set) var paths: [NodePath] = []

  init(_ restoration: Restoration) throws {
    let shown = try restoration.visibleChildren(of: nil)
    if !shown.isEmpty { text = "!\(shown.joined(separator: "+"));" }
    try add(nil, restoration)
    if text.isEmpty { text = "-" }
  }

  private mutating func add(_ parent: NodePath?, _ restoration: Restoration) throws {
    for path in try restoration.children(of: parent) {
      paths.append(path)
      text += path.id + ":"
      if let box = try restoration.screen(Box.kind, at: path) {
        text += "box\(box.node.state.number)~\(box.node.state.turned)"
        if !box.node.visibleChildren.isEmpty { text += "!\(box.node.visibleChildren.joined(separator: "+"))" }
      } else if let pane = try restoration.screen(Pane.kind, at: path) {
        add(pane.node.state)
      } else if let glass = try restoration.screen(Glass.kind, at: path) {
        add(glass.node.state)
      } else if let card = try restoration.screen(at: path, as: Card.self) {
        text += "card\(card.number)"
        if let other = card.other { text += ">\(other.number)" }
      }
      text += "["
      try add(path, restoration)
      text += "]"
    }
  }

  private mutating func add(_ pane: Pane.State) { text += "pane\(pane.number)~\(pane.typed)" }
}
