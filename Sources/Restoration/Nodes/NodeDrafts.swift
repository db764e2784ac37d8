import RepriseEventStore

/// Names the drafts of a scene's nodes, and remembers which ones closed nodes left.
final class NodeDrafts {
  /// The draft of the store's main context. A node at this path gets another draft.
  static let ofMainContext = "main"
  private static let mostNamed = 200
  private static let longestTitle = 200

  /// The drafts with edits that closed nodes left, by their IDs, with numbers that count up.
  private var left: [String: (left: LeftDraft, number: Int)] = [:]
  private var lastNumber = 0
  private let scene: Scene
  private let changes: TurnChanges
  private let objects: ObjectRegistry

  init(_ scene: Scene, _ changes: TurnChanges, _ objects: ObjectRegistry) {
    self.scene = scene
    self.changes = changes
    self.objects = objects
  }

  /// The drafts that closed nodes left, for the archive's info, in the order of closing. Drafts whose names contain
  /// their path are listed only up to a limit, because each write of the info contains the list.
  var allLeft: [LeftDraft] {
    let all = left.values.heapSorted { $0.number < $1.number }.map(\.left)
    var surplus = all.count { isNamed($0) } - Self.mostNamed
    return all.filter { left in
      guard surplus > 0, isNamed(left) else { return true }
      surplus -= 1
      return false
    }
  }

  private func isNamed(_ left: LeftDraft) -> Bool { left.draft == draft(at: left.path) }

  /// Takes over the drafts that closed nodes left, from the archive. Which of them have edits is unknown until their
  /// stores are available.
  func takeUp(_ left: [LeftDraft]) { for draft in left { keep(draft) } }

  /// Restore has finished. Forgets the drafts that certainly have no edits.
  func forgetEnded() {
    for (left, _) in left.values where !mayHaveEdits(left.draft, registeredAs: left.key.isEmpty ? nil : left.key) {
      self.left[left.draft] = nil
    }
  }

  private func keep(_ draft: LeftDraft) {
    lastNumber += 1
    left[draft.draft] = (draft, lastNumber)
  }

  /// The ID of the first draft at a path, different in each scene: a window that is not open may come back. No path has
  /// two slashes.
  func draft(at path: String) -> String { scene.name == "main" ? path : "\(scene.name)//\(path)" }

  /// Whether a draft belongs to this scene, by its name.
  func isOfScene(_ draft: String) -> Bool {
    if left[draft] != nil { return true }
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

  /// The record of a draft that a closed node left.
  func left(_ draft: String) -> LeftDraft? { left[draft]?.left }

  /// The path of the node that left a draft. `nil` if the draft was not a node's.
  func path(of draft: String) -> NodePath? {
    if let known = left[draft] { return NodePath(stored: known.left.path) }
    return Self.place(of: draft).path
  }

  /// The scene and the path that a draft is named after. No path if that was no node's.
  static func place(of draft: String) -> (scene: String, path: NodePath?) {
    let parts = parts(draft)
    var path = parts?.path ?? draft[...]
    // If two drafts were left at one path, the ID of one ends with a number.
    if let mark = path.lastIndex(of: "#"), Int(path[path.index(after: mark)...]) != nil { path = path[..<mark] }
    let scene = parts.map { String($0.scene) } ?? "main"
    return (scene, path == ofMainContext && parts == nil ? nil : NodePath(stored: String(path)))
  }

  /// The draft that the last node at a path left.
  func draftLeft(at path: NodePath) -> String {
    let here = left.values.filter { $0.left.path == path.text }.heapSorted { $0.number > $1.number }
    return here.first { hasEdits($0.left.draft) }?.left.draft ?? draft(at: path.text)
  }

  /// Remembers the draft of a closed node with edits.
  ///
  /// - Parameters:
  ///   - key: The key of the registered context whose store has the draft.
  ///   - title: Returns the title of the node.
  func remember(_ entry: NodeEntry, registeredAs key: String?, title: () -> String?) {
    guard let draft = entry.context?.draft else { return }
    // Another node has taken it over.
    if let owner = entry.ownContext?.owner, owner !== entry { return }
    guard entry.ownContext?.hasChanges ?? mayHaveEdits(draft, registeredAs: key) else {
      if left.removeValue(forKey: draft) != nil { changes.changeInfo() }
      return
    }
    // Each write of the archive's info contains the title, so a title as long as a whole note would be too much.
    let title = title().map { String($0.prefix(Self.longestTitle)) }
    keep(
      LeftDraft(path: entry.path.text, draft: draft, key: key ?? "", kind: entry.kind, title: title ?? ""))
    changes.changeInfo()
  }

  /// Whether the draft of this ID has edits.
  func hasEdits(_ draft: String) -> Bool {
    scene.storage.hasUncommittedDraft(draft) || scene.stores.elsewhere.contains { $0.hasUncommittedDraft(draft) }
  }

  /// Whether a draft has edits, or may have some because its store is not available yet.
  ///
  /// - Parameter key: The key of the registered context whose store has the draft. `nil` if it is unknown.
  func mayHaveEdits(_ draft: String, registeredAs key: String?) -> Bool {
    hasEdits(draft) || !(key.map(objects.isThere) ?? objects.areAllThere)
  }

  /// All drafts of the stores that nodes edit.
  func list() throws(StoreError) -> [DraftInfo] {
    var found = try scene.storage.listDrafts()
    for storage in scene.stores.elsewhere { found += try storage.listDrafts() }
    return found
  }
}
