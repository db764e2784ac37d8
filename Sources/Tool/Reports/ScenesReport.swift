import RepriseCore

/// The scenes whose archives a store has.
@MainActor
package struct ScenesReport {
  package let scenes: [SceneText]
  private let store: Store

  package init(_ store: Store) throws {
    self.store = store
    scenes =
      try Restoration.scenes(in: store).map { SceneText($0, isSetAside: false) }
      + Restoration.refusedArchives(in: store).map { SceneText($0, isSetAside: true) }
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try scenes.forEach(output.json) }
    if scenes.isEmpty { return try output.line("The store has no scenes.") }
    var table = Table([
      ("scene", .left), ("nodes", .right), ("saved", .left), ("program", .left), ("last exit", .left),
      ("in use", .left),
    ])
    for scene in scenes {
      table.add([
        scene.name + (scene.isSetAside ? " (set aside)" : ""), "\(scene.nodes)", scene.time ?? "", scene.program,
        scene.lastExit, scene.isInUse ? "yes" : "no",
      ])
    }
    try output.lines(table)
  }

  /// The tree of a scene.
  package func tree(of name: String) throws -> SceneTree {
    guard let scene = scenes.first(where: { $0.name == name }),
      let archive = try Restoration.archive(of: name, in: store)
    else { throw ToolError.noScene(name, known: scenes.map(\.name)) }
    return SceneTree(scene, archive)
  }
}

/// A scene in the list of scenes.
package struct SceneText: Encodable {
  package let name: String
  package let nodes: Int
  /// The time of the last write. `nil` if it cannot be read.
  package let time: String?
  /// The version of the program that wrote the archive.
  package let program: String
  package let lastExit: String
  package let isInUse: Bool
  /// Whether a program refused the archive.
  package let isSetAside: Bool

  init(_ scene: SceneInfo, isSetAside: Bool) {
    (name, nodes, isInUse) = (scene.name, scene.archive.nodeCount, scene.isInUse)
    time = scene.archive.savedAt == 0 ? nil : ValueText.time(scene.archive.savedAt)
    program = scene.archive.appVersion
    lastExit =
      switch scene.archive.lastExit {
      case .unknown: "unknown"
      case .clean: "clean"
      case .crashed: "crashed"
      case .crashedWhileRestoring: "crashed while restoring"
      }
    self.isSetAside = isSetAside
  }
}

/// The nodes of a scene, and the states of the objects that they need.
package struct SceneTree: Encodable {
  package struct Node: Encodable {
    package let path: String
    package let kind: String
    package let version: Int
    /// The state. `nil` if it cannot be read.
    package let state: StateJSON?
    package let bytes: Int
    package let needs: [String]
    package let draft: String?
    /// The reason why the node cannot be read.
    package let problem: String?
  }

  package struct Object: Encodable {
    package let key: String
    package let state: StateJSON?
  }

  package let scene: SceneText
  /// The nodes, each parent before its children.
  package let nodes: [Node]
  package let objects: [Object]

  init(_ scene: SceneText, _ archive: ArchivedScene) {
    self.scene = scene
    nodes = archive.nodes.map { node in
      Node(
        path: node.path.text, kind: node.kind, version: node.version, state: node.state.map(StateJSON.init),
        bytes: node.byteCount, needs: node.needs, draft: node.draft, problem: node.problem)
    }
    objects = archive.objects.map { Object(key: $0.key, state: $0.state.map(StateJSON.init)) }
  }

  /// The loss if the scene is removed.
  package var question: String {
    let count = nodes.count == 1 ? "1 screen" : "\(nodes.count) screens"
    return "Remove the scene '\(PlainText.line(scene.name))' with the states of \(count)? Drafts stay."
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    let style = output.style
    try output.line(style.ink(.heading, PlainText.line(scene.name)))
    for node in nodes {
      let depth = node.path.count { $0 == "/" } + 1
      let indent = String(repeating: "  ", count: depth)
      let name = node.path.split(separator: "/").last.map(String.init) ?? node.path
      var words = [style.ink(.name, PlainText.line(name)), "\(PlainText.line(node.kind)) v\(node.version)"]
      if let state = node.state { words.append(state.line) }
      try output.line(indent + words.joined(separator: "  "))
      if !node.needs.isEmpty {
        try output.line(indent + "  needs: \(node.needs.map(PlainText.line).joined(separator: ", "))")
      }
      if let draft = node.draft { try output.line(indent + "  draft: \(PlainText.line(draft))") }
      if let problem = node.problem { try output.line(indent + "  problem: \(PlainText.line(problem))") }
    }
    for object in objects {
      try output.line("  object \(PlainText.line(object.key))  \(object.state?.line ?? "unreadable")")
    }
  }
}
