import Reprise

/// The state of a window, which is the state of a scene.
struct WindowState: Codable, Sendable {
  /// The number of the last input that was applied, by the name of the page that sent it.
  ///
  /// It is written in one frame with the effects of the input. So a page can send an input again after a kill, and the
  /// input is applied once.
  var applied: [AppliedInputs] = []
  /// The field that has the focus.
  var focus: Focus?
  /// The save that is not in the log yet. A restored window finishes it.
  var saving: UnfinishedSave?
}

/// A save, and the input that asked for it.
struct UnfinishedSave: Codable, Sendable {
  let name: String
  let page: String
  let input: Int
}

struct AppliedInputs: Codable, Sendable {
  let page: String
  let last: Int
}

/// A field of the page, and the selected part of its text in UTF-16 units.
struct Focus: Codable, Equatable, Sendable {
  var field: String
  var start: Int
  var end: Int
}

@MainActor final class WindowScreen {
  static let kind = NodeKind<WindowState, WindowScreen>("Window")
  let node: RestorationNode<WindowState>
  init(_ node: RestorationNode<WindowState>) { self.node = node }

  /// How many pages of a window may have inputs on their way. A window has more than one page if its tab is duplicated.
  private static let pages = 8

  func lastInput(of page: String) -> Int { node.state.applied.first { $0.page == page }?.last ?? 0 }

  /// The page that sent an input last is the last one to be forgotten.
  ///
  /// - Parameter shown: The connected pages, which are not forgotten.
  func hasApplied(_ input: Int, of page: String, shown: Set<String>) {
    var pages = node.state.applied.filter { $0.page != page }
    for former in pages where pages.count >= Self.pages && !shown.contains(former.page) {
      pages.removeAll { $0.page == former.page }
    }
    node.state.applied = pages + [AppliedInputs(page: page, last: input)]
  }
}

/// What the list shows, and where it is scrolled to.
struct ListState: Codable, Sendable {
  var words = ""
  var project: Project.ID?
  var showsDone = false
  /// The first visible row. Rows that are inserted above it do not move it.
  var anchor: RowAnchor?
  /// How many pixels of the first visible row are scrolled away.
  var offset = 0
  /// The half-typed name of the next project.
  var newProject = ""
}

/// The state of an editor. Its text is in the draft of its context.
struct EditorState: Codable, Sendable {
  /// `nil` until the editor of a new task has inserted it.
  var todo: Todo.ID?
  /// The half-typed name of the next tag.
  var newTag = ""
  var showsHistory = false
}

/// A dialog whose text is typed or pasted, and whose import may run.
struct ImportState: Codable, Sendable {
  var text = ""
  /// The name of the import that runs or has ended, or `nil` before it starts.
  var name: String?
  var failure: String?
  var saved = 0
  var isDone = false
}
