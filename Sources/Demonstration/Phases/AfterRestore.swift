#if Macros
import RepriseCore

/// What the user does with the restored edits: discards them level by level, and saves others.
@MainActor struct AfterRestore {
  private let app: App
  private let path: String
  private let terminal: Terminal
  private let editor: MemberEditor
  private let termEditor: TermEditor

  init(_ app: App, _ path: String, _ terminal: Terminal) throws {
    guard let editor = try app.editor(), let termEditor = try app.termEditor() else {
      throw DemoError.differs("The editors did not come back. \(app.report)")
    }
    self.app = app
    self.path = path
    self.terminal = terminal
    self.editor = editor
    self.termEditor = termEditor
  }

  func run() async throws {
    try discard()
    try await saveOthers()
    try await verify()
    try await app.store.close()
    whereToLook()
  }

  private func facts(in context: ObjectContext) throws -> MemberFacts {
    try MemberFacts(editor.member.id, termEditor.term.id, in: context)
  }

  private func require(_ condition: Bool, _ what: String) throws(DemoError) {
    guard condition else { throw .differs(what) }
  }

  // MARK: Discarding is undoing

  private func discard() throws {
    terminal.heading("The uncommitted edits came back, each in its own context")
    let untouched = try facts(in: RootContext(app.store))
    let edited = try facts(in: editor.editing)
    let nested = try facts(in: termEditor.editing)
    MemberFacts.print(
      [("in the log", untouched), ("in the editor", edited), ("in the editor within it", nested)], on: terminal)
    try require(edited != untouched && nested != edited, "An editor came back without its edits.")

    terminal.heading("To discard is to undo: the editor within the editor, then the editor")
    termEditor.editing.discard()
    let inner = try facts(in: termEditor.editing)
    try require(inner == edited, "After discarding, the inner editor has other values than the outer one.")
    editor.editing.discard()
    let outer = try facts(in: editor.editing)
    MemberFacts.print(
      [("in the log", untouched), ("inner one discarded", inner), ("both discarded", outer)], on: terminal)
    try require(outer == untouched, "After discarding, the editor has other values than the log.")
    try require(
      try facts(in: termEditor.editing) == untouched,
      "After discarding both editors, the inner one has other values than the outer one.")
    try require(
      try facts(in: app.root) == untouched && !app.root.hasChanges,
      "After discarding, the root context has changes, or other values than the log.")
  }

  // MARK: Saving

  private func saveOthers() async throws {
    terminal.heading("Other edits, saved: into the editor, into the root context, into the log")
    let before = try facts(in: RootContext(app.store))
    let head = app.store.log.head
    termEditor.typePhone("202-555-0199")
    try termEditor.editing.save("Correct phone number")
    editor.type(editor.member.nickname == nil ? "Saved" : " (saved)")
    try editor.editing.save("Edit member")
    let wanted = try facts(in: app.root)
    let position = try await app.root.save("Edit member")
    try require(position > head, "The save appended nothing to the log.")
    termEditor.node.close()
    editor.node.close()
    let after = try facts(in: RootContext(app.store))
    MemberFacts.print([("in the log before", before), ("in the log now", after)], on: terminal)
    try require(after == wanted && after != before, "The log differs from the saved values.")
    terminal.fact("saved by ada", "as transaction \(position)")
  }

  private func verify() async throws {
    terminal.heading("The whole store: objects follow from the log, and indexes from the objects")
    let report = try await StoreMaintenance.verify(app.store)
    terminal.fact("verified", report.description, report.isSound ? .good : .bad)
    try require(report.isSound, "The store is not sound.")
  }

  // MARK: Looking at it

  private func whereToLook() {
    terminal.heading("Look at it")
    terminal.line("  The store lies in")
    terminal.line("    \(path)", .bold)
    terminal.line("  and the screens as text beside it, in .before.txt and .after.txt. For example:")
    terminal.line("    mdb_stat -e -a \(path)")
    terminal.line("    .venv/bin/python Tests/FormatReader/reprise_reader.py \(path) | less")
    terminal.line("  The first is one of LMDB's tools (Debian, Ubuntu: lmdb-utils). The second reads every")
    terminal.line("  transaction, object and index with Docs/FileFormat.md alone, without Swift; .ci/setup makes")
    terminal.line("  .venv for it.")
  }
}
#endif
