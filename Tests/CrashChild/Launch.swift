import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery
import RepriseRestoration
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program with two editors, one of which may kill it while it is made.
@MainActor enum Launch {
  private struct State: Codable, Sendable {}

  @MainActor private final class Editor {
    static let kind = NodeKind<State, Editor>("editor")
    let node: RestorationNode<State>
    let context: ChildContext
    init(_ node: RestorationNode<State>, _ context: ChildContext) { (self.node, self.context) = (node, context) }

    func cells() throws -> Int { try context.fetch(Fetch<Cell>()).count }
  }

  static func run(_ arguments: Arguments) async throws {
    let store = try Store.openNow(arguments.path, for: schema, options())
    let run = Restoration(store)
    let root: RestorationKey<RootContext> = "root"
    try run.register(store.mainContext, as: root)
    let deadly = arguments["dies"]
    try run.define(Editor.kind, needs: .ownContext(childOf: .registered(root))) { node, context in
      if node.path.id == deadly { kill(getpid(), SIGKILL) }
      return Editor(node, context)
    }
    switch arguments["conflict"] {
    case "read only": run.sceneConflictPolicy = .readOnly
    case "take over": run.sceneConflictPolicy = .takeOver
    default: break
    }
    if arguments["then"] == "yields" { run.onTakeover = { say("taken over") } }
    let report: RestorationReport
    do {
      report = try await run.restore()
    } catch RestorationError.sceneInUse(_, let process) {
      return say("in use by \(process ?? 0)")
    }
    if report.start == .fresh {
      for id in ["good", "bad"] {
        let editor = try run.open(Editor.kind, id: id, state: State())
        editor.context.insert(Cell(lane: 1, place: 1))
      }
      try await run.flush()
      say("typed")
    }
    say("last exit \(report.lastExit)")
    for entry in report.entries {
      let cells = try run.screen(Editor.kind, at: entry.path)?.cells() ?? -1
      say("\(entry.path) \(cells < 0 ? "\(entry.outcome)" : "shows \(cells)")")
    }
    if !report.orphanedDrafts.isEmpty { say("orphaned \(report.orphanedDrafts.joined(separator: " "))") }
    switch arguments["then"] {
    case "yields":
      try run.screen(Editor.kind, at: NodePath(["good"]))?.context.insert(Cell(lane: 1, place: 3))
      say("holds")
      try await Task.sleep(nanoseconds: 600_000_000_000)
    case "holds":
      say("holds")
      try await Task.sleep(nanoseconds: 600_000_000_000)
    case "flushes": try await run.flush()
    case "flushes and types":
      try await run.flush()
      try run.screen(Editor.kind, at: NodePath(["good"]))?.context.insert(Cell(lane: 1, place: 2))
    case "closes": try await store.close()
    case "waits for a signal":
      run.flushOnTermination()
      say("waits")
      try await Task.sleep(nanoseconds: 600_000_000_000)
    default: break
    }
    kill(getpid(), SIGKILL)
  }
}
