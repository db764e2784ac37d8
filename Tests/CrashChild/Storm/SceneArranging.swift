import RepriseObjectGraph
import RepriseRestoration

/// How a user arranges what a scene shows: what is in front, in which order, and in whose place.
extension Scene {
  func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &process.random) }

  func paths() throws -> [NodePath] { try SceneText(restoration).paths }

  /// Moves the node that is there now, wherever it is by then.
  func mover(of path: NodePath) throws -> (_ id: String, _ parent: NodePath?) throws -> Void {
    if let box = try restoration.screen(Box.kind, at: path) { return { try box.node.move(id: $0, under: $1) } }
    if let pane = try restoration.screen(Pane.kind, at: path) { return { try pane.node.move(id: $0, under: $1) } }
    guard let card = try restoration.screen(at: path, as: Card.self) else { throw RestorationError.noSuchNode(path) }
    return { [restoration] in try restoration.move(card, id: $0, under: $1) }
  }

  func reorder() throws {
    guard let path = pick(try paths()) else { return }
    let count = try restoration.children(of: path.parent).count
    try restoration.move(at: path, to: Int.random(in: 0..<count, using: &process.random))
  }

  /// Several tabs side by side.
  func showSeveral() throws {
    guard let path = pick(try paths()), let box = try restoration.screen(Box.kind, at: path) else { return }
    box.node.visibleChildren = some(of: try restoration.children(of: path))
  }

  func showRoots() throws { try restoration.setVisibleChildren(some(of: try restoration.children(of: nil)), of: nil) }

  private func some(of paths: [NodePath]) -> [String] {
    paths.shuffled(using: &process.random).prefix(Int.random(in: 0...3, using: &process.random)).map(\.id)
  }

  // MARK: Handovers

  func changePlaces() throws {
    let all = try paths()
    guard let one = pick(all), let other = pick(all), !one.isWithin(other), !other.isWithin(one) else { return }
    let (moveOne, moveOther) = (try mover(of: one), try mover(of: other))
    try restoration.handOver {
      try moveOne(other.id, other.parent)
      try moveOther(one.id, one.parent)
    }
  }

  /// A box opens in the place of a node, and takes it in.
  func takeIn() throws {
    guard let path = pick(try paths()), path.components.count < 5 else { return }
    let move = try mover(of: path)
    try restoration.handOver {
      try openBox(at: path)
      try move("in", path)
    }
  }

  /// It was not to be: all is as it was.
  func handOverInVain() throws {
    let all = try paths()
    guard let path = pick(all), let other = pick(all), !path.isWithin(other), !other.isWithin(path) else { return }
    let before = try SceneText(restoration).text
    let move = try mover(of: other)
    do {
      try restoration.handOver {
        try openBox(at: path)
        // To the place that the box has now, or as the last of its siblings.
        try move(process.chance(2) ? "in" : "out", process.chance(2) ? path : path.parent)
        if process.chance(2) { throw Abandoned() }
      }
      problem("nobody left \(path)")
    } catch is Abandoned {
    } catch RestorationError.unfinishedHandover {
    } catch RestorationError.duplicate {
    }
    let after = try SceneText(restoration).text
    if after != before { problem("it was \(before), and is \(after) after a handover in vain") }
  }

  private struct Abandoned: Error {}

  private func openBox(at path: NodePath) throws {
    let state = Box.State(number: process.newStamp())
    try restoration.open(Box.kind, id: path.id, under: path.parent, state: state)
  }

  /// A pane is made anew in its place, and goes on with what was typed.
  func replacePane() throws {
    guard let former = pick(try panes()) else { return }
    let (path, state) = (former.node.path, former.node.state)
    try restoration.handOver {
      try restoration.open(Pane.kind, id: path.id, under: path.parent, state: state, resumingDraft: true)
      former.node.close()
    }
  }
}

extension NodePath {
  fileprivate func isWithin(_ other: NodePath) -> Bool { (text + "/").hasPrefix(other.text + "/") }
}
