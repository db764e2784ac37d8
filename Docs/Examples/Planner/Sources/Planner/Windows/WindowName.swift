import Foundation

/// The name of a window: a user, and an ID that the browser keeps in the address.
struct WindowName: Hashable, Sendable {
  let user: String
  let id: String

  var scene: String { "\(user) \(id)" }
  /// The draft of the window's saves.
  var draftOfSaves: String { "saves of \(scene)" }

  init(user: String, id: String) {
    self.user = user
    self.id = id
  }

  init?(scene: String) {
    guard let space = scene.lastIndex(of: " ") else { return nil }
    self.init(user: String(scene[..<space]), id: String(scene[scene.index(after: space)...]))
  }

  /// The window of an editor's draft. The library names the draft of a node after its scene and path.
  init?(draft: String) {
    // No path has two separators in a row, but a name may.
    guard let separator = draft.range(of: "//", options: .backwards) else { return nil }
    self.init(scene: String(draft[..<separator.lowerBound]))
  }
}
