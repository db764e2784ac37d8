import RepriseEventStore

/// Names the drafts of a scene's nodes, and remembers which ones closed nodes left.
@MainActor final class NodeDrafts {
  /// The draft of the store's main context: a node at this path gets another.
  static let ofMainContext = "main"

  /// The drafts with edits that closed nodes left, by path, where they are not named after it.
  private(set) var left: [String: String] = [:]
  private let scene: Scene
  private let changes: Changes

  init(_ scene: Scene, _ changes: Changes) {
    self.scene = scene
    self.changes = changes
  }

  /// Takes up what the archive says of drafts that were left.
  func takeUp(_ left: [String: String]) { self.left = left.filter { hasEdits($0.value) } }

  /// The ID of the first draft at a path, different in each scene: a window that is not open may come back. No path has
  /// two slashes.
  func draft(at path: String) -> String { scene.name == "main" ? path : "\(scene.name)//\(path)" }

  /// Whether a draft belongs to this scene, by its name.
  func isOfScene(_ draft: String) -> Bool {
    if left.values.contains(draft) { return true }
    guard let (scene, _) = Self.parts(draft) else { return scene.name == "main" }
    return scene == self.scene.name
  }

  /// The scene and the path that a draft is named after, unless the scene is `main`: the last two slashes are between
  /// them.
  private static func parts(_ draft: String) -> (scene: Substring, path: Substring)? {
    var end = draft.endIndex
    while let slash = draft[..<end].lastIndex(of: "/"), slash > draft.startIndex {
      let before = draft.index(before: slash)
      if draft[before] == "/" { return (draft[..<before], draft[draft.index(after: slash)...]) }
      end = slash
    }
    return nil
  }

  /// Where the node stood that left a draft; `nil` if that was no node's.
  func path(of draft: String) -> NodePath? {
    if let known = left.first(where: { $0.value == draft }) { return NodePath(stored: known.key) }
    var path = Self.parts(draft)?.path ?? draft[...]
    // Of two drafts left at a path, one has a number.
    if let mark = path.lastIndex(of: "#"), Int(path[path.index(after: mark)...]) != nil { path = path[..<mark] }
    return path == Self.ofMainContext ? nil : NodePath(stored: String(path))
  }

  /// The draft that the last node at a path left.
  func draftLeft(at path: NodePath) -> String {
    if let draft = left[path.text], hasEdits(draft) { return draft }
    return draft(at: path.text)
  }

  /// Remembers the ID under which a closed node leaves edits, where that is not its path: the node was moved, or the
  /// path was taken.
  func remember(_ entry: NodeEntry) {
    guard let draft = entry.context?.draft else { return }
    // Another node has taken it over.
    if let owner = entry.ownContext?.owner, owner !== entry { return }
    guard entry.ownContext?.hasChanges ?? hasEdits(draft) else { return }
    let path = entry.path.text
    let left = draft == self.draft(at: path) ? nil : draft
    guard self.left[path] != left else { return }
    self.left[path] = left
    changes.changeInfo()
  }

  /// Whether the draft of this ID has edits.
  func hasEdits(_ draft: String) -> Bool {
    scene.storage.hasUncommittedDraft(draft) || scene.stores.elsewhere.contains { $0.hasUncommittedDraft(draft) }
  }

  /// All drafts of the stores that nodes edit.
  func list() throws(StoreError) -> [DraftInfo] {
    var found = try scene.storage.listDrafts()
    for storage in scene.stores.elsewhere { found += try storage.listDrafts() }
    return found
  }
}
