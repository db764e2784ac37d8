import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRestoration
import RepriseTestSeeds

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program with three contexts above each other, all edited: it says what each shows and has changed, and which
/// states its steps lead back to, and is killed. Another launch says the same of what it finds.
@MainActor enum Levels {
  private struct State: Codable, Sendable {}

  @MainActor private final class Editor {
    static let kind = NodeKind<State, Editor>("editor")
    let context: ChildContext
    init(_ context: ChildContext) { self.context = context }
  }

  static func run(_ arguments: Arguments) async throws {
    let store = try Store.openNow(arguments.path, for: schema, options())
    let root = try RootContext(store, author: "root", draft: "root")
    let key: RestorationKey<RootContext> = "root"
    let run = Restoration(store)
    try run.register(root, as: key)
    try run.define(Editor.kind, needs: .ownContext(childOf: .nearestAncestorNode(orRegistered: key))) {
      Editor($1)
    }
    let report = try await run.restore()
    for entry in report.entries where entry.outcome != .restored { problem("\(entry)") }
    let (outer, inner) = (try NodePath(["outer"]), try NodePath(["outer", "inner"]))
    if report.start == .fresh {
      for place in 0..<6 { root.insert(Cell(lane: 0, place: place)) }
      try await root.save("Prepare")
      try run.open(Editor.kind, id: "outer", state: State())
      try run.open(Editor.kind, id: "inner", under: outer, state: State())
    }
    guard let child = try run.screen(Editor.kind, at: outer)?.context,
      let grandchild = try run.screen(Editor.kind, at: inner)?.context
    else { return problem("an editor is gone") }
    say("ancestry \(grandchild.parent === child) \(child.parent === root)")
    let levels: [EditingContext] = [root, child, grandchild]
    if report.start == .fresh {
      var random = SeededGenerator(seed: UInt64(arguments.number("seed")))
      for step in 0..<40 { try edit(levels[Int.random(in: 0..<3, using: &random)], step, &random) }
      try await run.flush()
    }
    for (number, level) in levels.enumerated() { say("level \(number) \(try text(of: level))") }
    if arguments["unwinds"] == "yes" { try unwind(levels) }
    kill(getpid(), SIGKILL)
  }

  private static func edit(_ context: EditingContext, _ step: Int, _ random: inout SeededGenerator) throws {
    let cells = try context.fetch(Fetch<Cell>()).sorted { "\($0.id)" < "\($1.id)" }
    let one = cells.randomElement(using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: context.insert(Cell(lane: 1, place: step))
    case 1: if cells.count > 3, let one { context.delete(one) }
    case 2: one?.partner = cells.randomElement(using: &random)
    case 3: context.undo()
    case 4: context.redo()
    case 5:
      context.group("step \(step)") {
        one?.stamp = step
        context.insert(Cell(lane: 2, place: step))
      }
    case 6: one?.text = String(repeating: "text \(step) ", count: 20)
    default: one?.stamp = step
    }
  }

  /// What it shows, what it has changed, and what its steps are called.
  private static func text(of context: EditingContext) throws -> String {
    let shown = try context.fetch(Fetch<Cell>()).map { cell in
      "\(cell.id) \(cell.lane) \(cell.place) \(cell.stamp) \(cell.text) \(cell.partner.map { "\($0.id)" } ?? "-")"
    }.sorted()
    let changes = context.changes
    let changed = "+\(changes.inserted) ~\(changes.updated) -\(changes.deleted)"
    return "\(shown) \(changed) \(context.undoName ?? "-") \(context.redoName ?? "-")"
  }

  /// Says each state that the steps lead back to, of the innermost level first.
  private static func unwind(_ levels: [EditingContext]) throws {
    for (number, level) in levels.enumerated().reversed() {
      while level.hasChanges, level.canUndo {
        level.undo()
        say("back \(number) \(try text(of: level))")
      }
    }
  }
}
