import RepriseCore

struct TypistState: Codable, Sendable {
  var line = 0
  var text = ""
}

/// A screen that only has a state.
@MainActor final class TypistScreen {
  static let list = NodeKind<TypistState, TypistScreen>("NoteList")
  static let editor = NodeKind<TypistState, TypistScreen>("NoteEditor")
  let node: RestorationNode<TypistState>

  init(_ node: RestorationNode<TypistState>) { self.node = node }
}
