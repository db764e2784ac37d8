import RepriseEventStore
import RepriseObjectGraph
import RepriseRestoration

/// A scene as a window has it: its nodes, and a root context that the own contexts of its panes are children of.
@MainActor final class Scene {
  private static let context = RestorationKey<RootContext>("context")
  let number: Int
  let process: StormProcess
  let store: Store
  /// One without a draft until the scene is had, and from when it was taken over.
  private(set) var root: RootContext
  private(set) var restoration: Restoration
  /// Whether another one has taken it over.
  private(set) var isGone = false
  /// What is committed of what the panes edit.
  private(set) var saved: [Int] = []
  /// What was told last of the nodes.
  private var nodes = ""

  var name: String { "scene\(number)" }

  /// `nil` if somebody has it, who does not give it away.
  init?(_ number: Int, _ store: Store, _ process: StormProcess) async throws {
    self.number = number
    self.store = store
    self.process = process
    restoration = Restoration(store, scene: "scene\(number)")
    root = RootContext(store, author: "window")
    do {
      if process.chance(3) {
        restoration.sceneConflictPolicy = .takeOver
        try await restore { try await self.takeRoot() }
      } else {
        root = try draftedRoot()
        try await restore()
      }
    } catch DraftError.inUse {
      return nil
    } catch RestorationError.sceneInUse {
      isGone = true
      return nil
    }
    // A mistake that a test must find out.
    if process.canary == "unclaimed" { store.scenes.release(.scene(name)) }
  }

  private func draftedRoot() throws -> RootContext {
    process.catchUp(store)
    return try RootContext(store, author: "window", draft: number == 0 ? "main" : "root\(number)")
  }

  /// Whoever had the scene lets go of its context when it is told.
  private func takeRoot() async throws -> RootContext {
    while restoration.report == nil, !isGone { await process.sleep(milliseconds: 1...1) }
    for _ in 0..<4_000 where !isGone {
      do {
        root = try draftedRoot()
        try root.refresh()
        return root
      } catch DraftError.inUse {
        await process.sleep(milliseconds: 5...5)
      }
    }
    throw DraftError.inUse(name)
  }

  /// - Parameter late: Brings the context, if it is not there yet.
  private func restore(late: (@MainActor @Sendable () async throws -> RootContext)? = nil) async throws {
    restoration.onProblem = { [process] in process.voice.problem("the restoration: \($0)") }
    if !process.chance(4) { restoration.onTakeover = { [weak self] in self?.isTakenOver() } }
    if let late {
      try restoration.register(late: Self.context) { try await late() }
    } else if process.chance(3) {
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
    try restoration.define(twoPhase: "card") { _, _ in Card() }
    try root.refresh()
    try await restoration.restore()
    do {
      _ = try await restoration.waitUntilSettled()
    } catch RestorationError.ended where isGone {
      return
    }
    // Two launches in a row were killed while it was made, and it was not its fault.
    for entry in restoration.report?.entries ?? [] where isQuarantined(entry.path) {
      try restoration.retry(at: entry.path)
    }
    guard let report = restoration.report else { return problem("there is no report") }
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
    if let loss = context.draftProblems.first { problem("lost: \(loss)") }
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
    if !isGone { process.voice("made nodes/\(name)") }
  }

  func endOfTurn() async { repeat { await Task.yield() } while store.journal.isTurnOpen }

  /// Waits until the journal has written everything, and says so.
  func keep() async throws {
    await endOfTurn()
    if isGone { return }
    try store.journal.write()
    process.voice("is nodes/\(name)=\(nodes)")
  }

  func save() async throws {
    guard root.hasChanges else { return }
    let next = try (0..<StormCells.panes).map { try read($0, root) }
    process.voice("may panes/\(name)=\(next.joined)")
    try await root.save("Panes")
    if isGone { return }
    saved = next
    // Screens are not older than the save.
    process.voice("is panes/\(name)=\(saved.joined) nodes/\(name)=\(nodes)")
  }

  /// Lets go of the scene and takes it up again, unless another one is quicker.
  func again() async throws {
    let before = nodes
    restoration.end()
    await endOfTurn()
    restoration = Restoration(store, scene: name)
    do {
      try await restore()
    } catch RestorationError.sceneInUse {
      return isTakenOver()
    }
    if isGone { return }
    let after = try SceneText(restoration).text
    if after != before { problem("it was \(before), and comes back as \(after)") }
    nodes = after
  }

  // MARK: Leaving

  private func isTakenOver() {
    process.voice("leaving \(name)")
    isGone = true
    root = RootContext(store, author: "window")
  }

  func leave() async {
    if isGone { return }
    process.voice("leaving \(name)")
    restoration.end()
    await endOfTurn()
  }

  /// The window is closed for good. What was typed in one pane stays in its draft.
  func remove() async throws {
    if isGone { return }
    let draft = try await discardAllButOne()
    if isGone { return }
    await leave()
    try await SceneRemoval(name, store, process).remove(leaving: draft)
  }

  private func discardAllButOne() async throws -> String? {
    let typed = try panes().filter(\.context.hasChanges)
    try await turn {
      for pane in typed.dropFirst() { try discard(pane) }
    }
    return typed.first?.context.draftID
  }

  func discard(_ pane: Pane) throws {
    pane.context.discard()
    pane.node.state.typed = try read(pane.node.state.number, root)
  }
}
