#if Macros
import RepriseCore

struct MemberEditorState: Codable, Sendable {
  var member: Legislator.ID
  /// How many characters stand before the caret in the nickname.
  var caret = 0
}

/// A form for one member, with an editing context of its own: nothing of it is in the log before it is saved.
@MainActor final class MemberEditor: Screen {
  static let kind = NodeKind<MemberEditorState, MemberEditor>("member-editor")

  let node: RestorationNode<MemberEditorState>
  let editing: ChildContext
  let member: Legislator

  init(_ node: RestorationNode<MemberEditorState>, _ editing: ChildContext) throws {
    self.node = node
    self.editing = editing
    member = try editing.object(node.state.member)
  }

  // MARK: What the user does

  /// Types at the caret of the nickname, letter by letter.
  func type(_ text: String) {
    for letter in text {
      let nickname = member.nickname ?? ""
      let caret = min(node.state.caret, nickname.count)
      member.nickname = nickname.prefix(caret) + String(letter) + nickname.dropFirst(caret)
      node.state.caret = caret + 1
    }
  }

  func rename(to official: String) { member.officialName = official }

  /// Gives up a seat on a committee; a member without one forgets their first term.
  func removeSeat() {
    if let membership = member.memberships.max(by: { $0.key < $1.key }) {
      editing.delete(membership)
    } else if let term = member.termsByStart.first {
      editing.delete(term)
    }
  }

  // MARK: What the user sees

  var title: String { "Edit member" }

  func lines() -> [String] {
    [
      ScreenText.field("nickname", member.nickname, caret: node.state.caret),
      ScreenText.field("full name", member.officialName), ScreenText.field("seats", member.memberships.count.grouped),
      ScreenText.field("terms", member.terms.count.grouped), editing.summary,
    ]
  }
}

extension EditingContext {
  /// What is uncommitted, in a line.
  var summary: String {
    let changes = changes
    if changes.isEmpty { return "nothing uncommitted" }
    return "uncommitted: \(changes.inserted.count) new, \(changes.updated.count) changed, "
      + "\(changes.deleted.count) deleted"
  }
}
#endif
