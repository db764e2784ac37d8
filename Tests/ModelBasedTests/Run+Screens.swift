import RepriseCore
import RepriseTesting

/// A screen with a state and a context of its own.
@MainActor final class Pane {
  struct State: Codable, Sendable { var row = 0 }

  static let kind = NodeKind<State, Pane>("pane")
  let node: RestorationNode<State>
  let context: ChildContext
  init(_ node: RestorationNode<State>, _ context: ChildContext) { (self.node, self.context) = (node, context) }
}

/// A screen as it should be; those of one parent stand in order.
struct Screen: Equatable {
  let scene: String
  var path: [String]
  var row: Int
  /// Of its context, which is that of a node of the run.
  let draft: String
}

/// The screens of two scenes, whose contexts are edited, saved, undone and killed with all others.
extension Run {
  static let scenes = ["left", "right"]

  /// The scene as it is restored, now or before.
  func restoration(_ scene: String) async throws -> Restoration {
    if let live = restorations[scene] { return live }
    guard let root = nodes.first(where: { $0.name == "main" })?.context as? RootContext else {
      throw Mismatch(description: "there is no main context")
    }
    let key: RestorationKey<RootContext> = "main"
    let restoration = Restoration(store, scene: scene)
    try restoration.register(root, as: key)
    try restoration.define(Pane.kind, needs: .ownContext(childOf: .nearestAncestorNode(orRegistered: key))) {
      Pane($0, $1)
    }
    let report = try await restoration.restore()
    for entry in report.entries where entry.outcome != .restored {
      throw Mismatch(description: "\(scene): \(entry)")
    }
    restorations[scene] = restoration
    return restoration
  }

  /// Lets go of the scenes, which would live as long as their store.
  func end() {
    for restoration in restorations.values { restoration.end() }
    restorations = [:]
  }

  func perform(onScreens step: Step) async throws -> Bool {
    guard let scene = Self.scenes.randomElement(using: &random) else { return false }
    let restoration = try await restoration(scene)
    let screen = screens.indices.filter { screens[$0].scene == scene }.randomElement(using: &random)
    switch step {
    case .openScreen: return try open(in: scene, restoration, above: Bool.random(using: &random) ? screen : nil)
    case .restoreScene:
      note("\(scene) ends, and is restored")
      restoration.end()
      restorations[scene] = nil
      try await findContexts(in: scene, self.restoration(scene))
    default:
      guard let screen else { return false }
      try change(screen, restoration, step)
    }
    return true
  }

  private func open(in scene: String, _ restoration: Restoration, above: Int?) throws -> Bool {
    let draft = above.map { screens[$0].draft } ?? "main"
    let parent = nodes.first { above == nil ? $0.name == draft : $0.draft == draft }
    guard nodes.count < 8, let parent, parent.depth < 4 else { return false }
    let (name, row) = (freshName(), Int.random(in: 0..<100, using: &random))
    let path = above.map { screens[$0].path } ?? []
    note("\(scene): opens \((path + [name]).joined(separator: "/")), \(row)")
    let pane = try restoration.open(
      Pane.kind, id: name, under: path.isEmpty ? nil : NodePath(path), state: Pane.State(row: row))
    guard let own = pane.context.draftID else { throw Mismatch(description: "the own context has no draft") }
    try expect(pane.context.parent === parent.context, true, "\(name): the parent of its context")
    let oracle = OracleContext(log, parent: parent.oracle, isDraft: true)
    nodes.append(Node(name, pane.context, oracle, parent: parent, draft: own))
    screens.append(Screen(scene: scene, path: path + [name], row: row, draft: own))
    return true
  }

  private func change(_ index: Int, _ restoration: Restoration, _ step: Step) throws {
    let screen = screens[index]
    let path = try NodePath(screen.path)
    let what = "\(screen.scene): \(path)"
    switch step {
    case .changeScreen:
      let row = Int.random(in: 0..<100, using: &random)
      note("\(what) = \(row)")
      try restoration.screen(Pane.kind, at: path)?.node.state.row = row
      if log.mistake != .screensForgetTheLastChange { screens[index].row = row }
    case .renameScreen:
      let name = freshName()
      note("\(what) is renamed \(name)")
      try restoration.move(at: path, id: name, under: path.parent)
      let last = screen.path.count - 1
      for other in screens.indices where screens[other].isBelow(screen) { screens[other].path[last] = name }
    case .moveScreen:
      let siblings = screens.indices.filter { screens[$0].isSibling(of: screen) }
      let place = Int.random(in: 0..<siblings.count, using: &random)
      note("\(what) moves to \(place)")
      try restoration.move(at: path, to: place)
      var ordered = siblings.map { screens[$0] }.filter { $0 != screen }
      ordered.insert(screen, at: place)
      for (index, screen) in zip(siblings, ordered) { screens[index] = screen }
    default:
      note("\(what) is closed")
      try restoration.close(at: path)
      // The context of each stays, with its draft, as that of a child without a screen.
      screens.removeAll { $0.isBelow(screen) }
    }
  }

  // MARK: What there is

  /// The contexts of the nodes that screens have are those of the screens.
  func findContexts(in scene: String, _ restoration: Restoration) async throws {
    for path in try restoration.paths(below: nil) {
      guard let pane = try restoration.screen(Pane.kind, at: path),
        let node = nodes.first(where: { $0.draft == pane.context.draftID })
      else { throw Mismatch(description: "\(scene): \(path) has a context that nobody else knows") }
      try expect(node.context === pane.context, true, "\(scene): \(path) has the context that it had")
    }
  }

  /// The contexts that restored screens have, by draft.
  func contextsOfScreens() async throws -> [String: ChildContext] {
    var found: [String: ChildContext] = [:]
    for scene in Self.scenes {
      let restoration = try await restoration(scene)
      for path in try restoration.paths(below: nil) {
        guard let context = try restoration.screen(Pane.kind, at: path)?.context, let draft = context.draftID else {
          throw Mismatch(description: "\(scene): \(path) is not there")
        }
        found[draft] = context
      }
    }
    return found
  }

  func compareScreens() throws {
    for (scene, restoration) in restorations {
      let found = try restoration.paths(below: nil).map { path in
        let pane = try restoration.screen(Pane.kind, at: path)
        return Screen(
          scene: scene, path: path.components, row: pane?.node.state.row ?? -1, draft: pane?.context.draftID ?? "")
      }
      try expect(found, inOrder(scene, below: []), "\(scene): screens")
    }
  }

  /// Each before those below it.
  private func inOrder(_ scene: String, below path: [String]) -> [Screen] {
    screens.filter { $0.scene == scene && $0.path.dropLast() == path[...] }
      .flatMap { [$0] + inOrder(scene, below: $0.path) }
  }
}

extension Screen {
  fileprivate func isBelow(_ other: Screen) -> Bool { scene == other.scene && path.starts(with: other.path) }
  fileprivate func isSibling(of other: Screen) -> Bool {
    scene == other.scene && path.dropLast() == other.path.dropLast()
  }
}

extension Restoration {
  fileprivate func paths(below parent: NodePath?) throws -> [NodePath] {
    try children(of: parent).flatMap { [$0] + (try paths(below: $0)) }
  }
}
