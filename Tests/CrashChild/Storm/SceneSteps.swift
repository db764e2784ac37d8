import RepriseObjectGraph
import RepriseRestoration

/// What a user does to a scene.
extension Scene {
  private static let mostNodes = 34

  func step() async throws {
    switch Int.random(in: 0..<36, using: &process.random) {
    case 0..<3: try await turn(openNode)
    case 3: try await turn(closeNode)
    case 24: try await turn(select)
    case 25: try await turn(select)
    case 26: try await turn(typeEverywhere)
    case 27: if process.chance(5) { try await turn(openTwenty) }
    case 28: try await turn(showSeveral)
    case 29: try await turn(showRoots)
    case 30..<32: try await turn(reorder)
    case 32: try await turn(changePlaces)
    case 33: try await turn(takeIn)
    case 34: try await turn(handOverInVain)
    case 35: try await turn(replacePane)
    case 4..<9: try await move()
    case 9..<14: try await turn(type)
    case 14: try await turn(savePane)
    case 15: try await turn(discardPane)
    case 16: try await turn(reopenPane)
    case 17: try await turn(introduce)
    case 18: try await turn(turnBox)
    case 19: try await save()
    case 20: await process.sleep(milliseconds: 20...100)
    case 21: if process.chance(3) { try await again() }
    default: try await keep()
    }
  }

  private func boxes() throws -> [NodePath] {
    try paths().filter { try restoration.screen(Box.kind, at: $0) != nil && $0.components.count < 5 }
  }

  private func cards() throws -> [Card] { try paths().compactMap { try restoration.screen(at: $0) } }

  /// A node to stand below, or none; and an ID that nobody has there.
  private func place() throws -> (id: String, parent: NodePath?) {
    let parent = process.chance(3) ? nil : pick(try boxes())
    let taken = Set(try restoration.children(of: parent).map(\.id))
    let id = pick((0..<40).map { "x\($0)" }.filter { !taken.contains($0) }) ?? "last"
    return (id, parent)
  }

  private func openNode() throws {
    guard try paths().count < Self.mostNodes else { return }
    let (id, parent) = try place()
    switch Int.random(in: 0..<5, using: &process.random) {
    case 0..<2:
      try restoration.open(Box.kind, id: id, under: parent, state: Box.State(number: process.newStamp()))
    case 2..<4:
      let shown = Set(try panes().map(\.node.state.number))
      guard let free = pick((0..<StormCells.panes).filter { !shown.contains($0) }) else { return }
      let typed = try read(free, root)
      try restoration.open(Pane.kind, id: id, under: parent, state: Pane.State(number: free, typed: typed))
    default:
      try restoration.adopt(Card(process.newStamp()), kind: "card", id: id, under: parent)
    }
  }

  private func closeNode() throws {
    guard let path = pick(try paths()) else { return }
    // What is left in a draft would be in the way of the next pane of the same object.
    for pane in try panes() where (pane.node.path.text + "/").hasPrefix(path.text + "/") { pane.context.discard() }
    let gone = try cards().filter { card in try !remain(card, without: path) }
    for card in try cards() where card.other.map({ other in gone.contains { $0 === other } }) ?? false {
      card.know(nil, in: restoration)
    }
    try restoration.close(at: path)
  }

  private func remain(_ card: Card, without path: NodePath) throws -> Bool {
    try paths().contains { other in
      try !(other.text + "/").hasPrefix(path.text + "/") && restoration.screen(at: other, as: Card.self) === card
    }
  }

  private func move() async throws {
    guard let path = pick(try paths()) else { return }
    let (id, parent) = try place()
    // A mistake that a test must find out: to close a node and to make it anew is no move.
    if process.canary == "careless", let box = try restoration.screen(Box.kind, at: path),
      try restoration.children(of: path).isEmpty, parent != path
    {
      let state = box.node.state
      box.node.close()
      await process.sleep(milliseconds: 100...100)
      if isGone { return }
      return try await turn { try restoration.open(Box.kind, id: id, under: parent, state: state) }
    }
    try await turn {
      do {
        try mover(of: path)(id, parent)
      } catch RestorationError.impossibleMove {
        // Below itself.
      }
    }
  }

  private func type() throws {
    guard let pane = pick(try panes()) else { return }
    for _ in 0..<Int.random(in: 1...5, using: &process.random) {
      let next = process.newStamp()
      try cell(pane.node.state.number, pane.context).stamp = next
      pane.node.state.typed = next
    }
  }

  /// In twenty child contexts, if so many are open, within one turn.
  private func typeEverywhere() throws {
    for pane in try panes() {
      let next = process.newStamp()
      try cell(pane.node.state.number, pane.context).stamp = next
      pane.node.state.typed = next
    }
  }

  private func openTwenty() throws {
    let shown = Set(try panes().map(\.node.state.number))
    for free in (0..<20).filter({ !shown.contains($0) }) {
      let (id, parent) = try place()
      try restoration.open(
        Pane.kind, id: id, under: parent, state: Pane.State(number: free, typed: try read(free, root)))
    }
  }

  /// A tab comes to the front, or all are shown.
  private func select() throws {
    guard let path = pick(try boxes()), let box = try restoration.screen(Box.kind, at: path) else { return }
    box.node.selection = process.chance(3) ? nil : pick(try restoration.children(of: path))?.id
  }

  private func savePane() throws { try pick(try panes())?.context.save("Pane") }

  private func discardPane() throws {
    if let pane = pick(try panes()) { try discard(pane) }
  }

  /// Its edits are in a draft meanwhile.
  private func reopenPane() throws {
    guard let (path, state) = try closePane() else { return }
    try restoration.open(Pane.kind, id: path.id, under: path.parent, state: state, resumingDraft: true)
  }

  private func closePane() throws -> (NodePath, Pane.State)? {
    guard let pane = pick(try panes()) else { return nil }
    defer { pane.node.close() }
    return (pane.node.path, pane.node.state)
  }

  private func introduce() throws {
    guard let card = pick(try cards()) else { return }
    card.know(pick(try cards()), in: restoration)
  }

  private func turnBox() throws {
    guard let path = pick(try boxes()) else { return }
    try restoration.screen(Box.kind, at: path)?.node.state.turned += 1
  }
}
