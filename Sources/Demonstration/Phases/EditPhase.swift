#if Macros
import RepriseCore

/// A user scrolls, opens screens, types at two levels, and does not save; then the process kills itself.
@MainActor struct EditPhase {
  private let path: String
  private let terminal: Terminal

  /// A kill may take what was typed in the last 250 ms.
  private static let pause = Duration.milliseconds(300)

  init(store: String, _ terminal: Terminal) {
    path = store
    self.terminal = terminal
  }

  func run() async throws {
    try requireFile(path + "/data.mdb")
    let app = try await App.launch(path)
    guard app.report.start == .fresh else {
      throw DemoError.usage("The store at \(path) has been edited already. Load it again, in another place.")
    }
    let list = try app.openList()
    list.scroll(toRow: list.members.count * 7 / 10)
    let (row, member) = try choose(list)
    list.select(row)
    _ = try app.openDetail(of: member)

    let editor = try app.openEditor(of: member)
    editor.type(member.nickname == nil ? "The Unsaved" : " the Unsaved")
    editor.rename(to: "\(member.firstName) “Unsaved” \(member.lastName)")
    editor.removeSeat()

    guard let last = member.termsByStart.last else { throw DemoError.data("\(member.key) has no term.") }
    let termEditor = try app.openEditor(of: last)
    termEditor.typePhone("202-555-01")
    termEditor.move(to: "1 Half-Typed Hou")
    termEditor.addNextTerm()

    let screen = try app.drawn()
    try TextFile.write(screen, to: ScreenFiles.before(path))
    terminal.fact("screens", "list, detail, editor, editor within the editor")
    terminal.fact("in the editor", editor.editing.summary, .edited)
    terminal.fact("in the editor within it", termEditor.editing.summary, .edited)
    terminal.fact("kill -9", "\(Self.pause.milliseconds) after the last keystroke, nothing saved, nothing closed", .bad)
    try await Task.sleep(for: Self.pause)
    ChildProcess.killSelf()
  }

  /// A visible member with something to delete.
  private func choose(_ list: MemberList) throws -> (RowPath, Legislator) {
    let rows = list.visiblePaths.map { ($0, list.members.element(at: $0)) }
    let busy = rows.first { !$0.1.memberships.isEmpty && $0.1.terms.count > 1 } ?? rows.first { $0.1.terms.count > 1 }
    guard let busy else { throw DemoError.data("No member on the screen has two terms.") }
    return busy
  }
}
#endif
