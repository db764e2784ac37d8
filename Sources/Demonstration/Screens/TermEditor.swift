#if Macros
import RepriseCore

struct TermEditorState: Codable, Sendable {
  var term: Term.ID
  /// The position of the caret in the phone number, in characters.
  var caret = 0
}

/// A form for one term, opened from the member's: an editing context on top of that form's.
@MainActor final class TermEditor: Screen {
  static let kind = NodeKind<TermEditorState, TermEditor>("term-editor")

  let node: RestorationNode<TermEditorState>
  let editing: ChildContext
  let term: Term

  init(_ node: RestorationNode<TermEditorState>, _ editing: ChildContext) throws {
    self.node = node
    self.editing = editing
    term = try editing.object(node.state.term)
  }

  // MARK: What the user does

  /// Types another phone number, letter by letter.
  func typePhone(_ text: String) {
    term.phone = nil
    node.state.caret = 0
    for letter in text {
      term.phone = (term.phone ?? "") + String(letter)
      node.state.caret += 1
    }
  }

  func move(to office: String) { term.office = office }

  /// Adds the term that follows this one.
  func addNextTerm() {
    let year = (Int(term.end.prefix(4)) ?? 2027) + 2
    let next = Term(key: "\(term.legislatorKey)#\(term.seat.rawValue)@\(term.end)")
    next.legislatorKey = term.legislatorKey
    next.seat = term.seat
    next.start = term.end
    next.end = "\(year)\(term.end.dropFirst(4))"
    next.stateCode = term.stateCode
    next.party = term.party
    editing.insert(next)
    next.legislator = term.legislator
  }

  // MARK: What the user sees

  var title: String { "Edit term \(term.start)" }

  func lines() -> [String] {
    [
      ScreenText.field("phone", term.phone, caret: node.state.caret), ScreenText.field("office", term.office),
      ScreenText.field("terms in all", (term.legislator?.terms.count ?? 0).grouped),
      ScreenText.field("nickname", term.legislator?.nickname), editing.summary,
    ]
  }
}
#endif
