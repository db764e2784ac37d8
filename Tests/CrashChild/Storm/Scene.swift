import RepriseEventStore
import RepriseObjectGraph
import RepriseRestoration

/// A scene as a window has it: its nodes, and a root context that the own contexts of its panes are children of.
@MainActor final class Scene {
  private static let context = RestorationKey<RootContext>("context")
  let number: Int
  let process: StormProcess
  let store: Store
  let root: RootContext
  private(set) var restoration: Restoration
  /// What is committed of what the panes edit.
  private(set) var saved: [Int] = []
  /// What was told last of the nodes.
  private var nodes = ""

  var name: String { "scene\(number)" }

  /// `nil` if somebody has it.
  init?(_ number: Int, _ store: Store, _ process: StormProcess) async throws {
    self.number = number
    self.store = store
    self.process = process
    restoration = Restoration(store, scene: "scene\(number)")
    do {
      root = try RootContext(store, author: "window", draft: number == 0 ? "main" : "root\(number)")
      try await restore()
    } catch DraftError.inUse {
      return nil
    } catch RestorationError.sceneInUse {
      return nil
    }
  }

  private func restore() async throws {
    restoration.onProblem = { [process] in process.voice.problem("the restoration: \($0)") }
    if process.chance(3) {
      // As if its store was still opening.
      try restoration.register(late: Self.context) { [root, process] in
        await process.sleep(milliseconds: 0...60)
        return root
      }
    } else {
      try restoration.register(root, as: Self.context)
    }
    try restoration.define(Box.kind) { node in Box(node) }
    try restoration.define(Pane.kind, needs: .ownContext(childOf: .registered(Self.context))) { Pane($0, $1) }
    try restoration.defineTwoStep("card") { _, _ in Card() }
    try root.refresh()
    try await restoration.restore()
    var report = try await restoration.settled()
    // Two launches in a row were killed while it was made, and it was not its fault.
    for entry in report.entries where isQuarantined(entry.path) { try restoration.retry(at: entry.path) }
    report = restoration.report ?? report
    for entry in report.entries where entry.outcome != .restored && entry.outcome != .deferred { problem("\(entry)") }
    // Told though nothing is lost: its process was killed before it wrote to the journal that it had just made.
    let damage = report.damage.filter { !$0.hasSuffix(".journal is empty.") }
    let others = report.orphanedDrafts + report.dropped.map(\.text) + damage
    if !others.isEmpty { problem("left out: \(others)") }
  }

  private func isQuarantined(_ path: NodePath) -> Bool {
    if case .quarantined? = restoration.report?.outcome(at: path) { true } else { false }
  }

  /// All of it is as it was, or as somebody was about to make it.
  func lookAround() throws {
    let plain = RootContext(store, isolation: nil)
    try plain.refresh()
    saved = try (0..<StormCells.panes).map { try read($0, plain) }
    let underneath = try (0..<StormCells.panes).map { try read($0, root) }
    if root.hasChanges != (underneath != saved) {
      problem("the root has changes: \(root.hasChanges), \(underneath) over \(saved)")
    }
    check(root)
    for pane in try panes() {
      let (number, typed) = (pane.node.state.number, pane.node.state.typed)
      let shown = try read(number, pane.context)
      if shown != typed { problem("the context of pane \(number) shows \(shown), and its state is of \(typed)") }
      if pane.context.hasChanges != (shown != underneath[number]) {
        problem("pane \(number) has changes: \(pane.context.hasChanges), \(shown) over \(underneath[number])")
      }
      check(pane.context)
    }
    nodes = try SceneText(restoration).text
    // By now all were asked for.
    for entry in restoration.report?.entries ?? [] where entry.outcome != .restored { problem("\(entry)") }
    process.voice("found nodes/\(name)=\(nodes) panes/\(name)=\(saved.joined)")
  }

  private func check(_ context: EditingContext) {
    do {
      if let conflict = try context.conflicts().first { problem("a conflict with nobody: \(conflict)") }
    } catch {
      problem("\(error)")
    }
    if let loss = context.draftLosses.first { problem("lost: \(loss)") }
  }

  func problem(_ text: String) { process.voice.problem("\(name): \(text)") }

  func read(_ pane: Int, _ context: ObjectContext) throws -> Int { try cell(pane, context).stamp }

  func cell(_ pane: Int, _ context: ObjectContext) throws -> Cell {
    try StormCells.cell(StormCells.pane(number, pane), context)
  }

  func panes() throws -> [Pane] {
    try SceneText(restoration).paths.compactMap { try restoration.screen(Pane.kind, at: $0) }
  }

  // MARK: Turns

  /// Does something in one turn, and tells what a kill may leave from now on: nothing is written before the turn ends.
  func turn(_ body: () throws -> Void) async throws {
    try body()
    let after = try SceneText(restoration).text
    if after != nodes { process.voice("may nodes/\(name)=\(after)") }
    nodes = after
    await endOfTurn()
    process.voice("made nodes/\(name)")
  }

  func endOfTurn() async { repeat { await Task.yield() } while store.journal.isTurnOpen }

  /// Waits until the journal has written everything, and says so.
  func keep() async throws {
    await endOfTurn()
    try store.journal.write()
    process.voice("is nodes/\(name)=\(nodes)")
  }

  func save() async throws {
    guard root.hasChanges else { return }
    let next = try (0..<StormCells.panes).map { try read($0, root) }
    process.voice("may panes/\(name)=\(next.joined)")
    try await root.save("Panes")
    saved = next
    // Screens are not older than the save.
    process.voice("is panes/\(name)=\(saved.joined) nodes/\(name)=\(nodes)")
  }

  /// Lets go of the scene and takes it up again.
  func again() async throws {
    let before = nodes
    restoration.end()
    await endOfTurn()
    restoration = Restoration(store, scene: name)
    try await restore()
    let after = try SceneText(restoration).text
    if after != before { problem("it was \(before), and comes back as \(after)") }
    nodes = after
  }

  func leave() async {
    restoration.end()
    await endOfTurn()
  }
}
