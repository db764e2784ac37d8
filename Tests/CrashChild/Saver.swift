import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery
import RepriseTestSeeds

/// Saves and edits for ever, and says what must and what may be found after it is killed.
///
/// Four lanes: 0 and 1 are edited and saved by two plain contexts, 2 in the context `desk`, whose edits are a draft,
/// and 3 in its child `sheet`, with a draft too, which saves into the desk. Three states are told to the parent, each
/// before it changes ("may": the next kill may leave the old one or this one) and when it is sure ("is": nothing else
/// may be found from now on):
/// - log: the stamps of the four lanes as committed, and the position of the head;
/// - desk: the stamps of the lanes 2 and 3 as the desk shows them;
/// - sheet: the stamp of lane 3 as the sheet shows it;
/// - screen: the stamp of a screen, if there are screens.
@MainActor final class Saver {
  let store: Store
  let canary: String
  /// Whether what is sure must be flushed.
  let survivesPowerCuts: Bool
  let plain: RootContext
  let other: RootContext
  let desk: RootContext
  let sheet: ChildContext
  var screen: FlushedScreen?
  var random: SeededGenerator
  var nextStamp: Int

  /// What is committed, shown by the desk and by the sheet, if nothing went wrong.
  var log = LogState()
  var shown = DeskState()
  var onSheet = 0
  /// Steps that the journal may not have written yet.
  var unkept = 0

  init(_ arguments: Arguments) throws {
    var random = SeededGenerator(seed: UInt64(arguments.number("seed")))
    canary = arguments["canary"]
    nextStamp = arguments.number("from", 1)
    var options = options()
    survivesPowerCuts = !arguments["recording"].isEmpty
    options.isUnflushed = arguments["flushes"] != "yes" && !survivesPowerCuts
    options.journal.aim = UInt64.random(in: 500_000...4_000_000, using: &random)
    if canary == "draft" { options.journal.aim = 60_000_000_000 }
    // However slow the machine is, what one turn did stands in one frame.
    options.journal.turnLimit = 60_000_000_000
    options.journal.checkpointThreshold =
      Bool.random(using: &random) ? 1 << 20 : Int.random(in: 1000...20_000, using: &random)
    if survivesPowerCuts {
      options.journal.flushInterval = UInt64.random(in: 1_000_000...20_000_000, using: &random)
      options.journal.checkpointDelay = UInt64.random(in: 0...20_000_000, using: &random)
    }
    options.journal.onError = { problem("the journal: \($0)") }
    store = try Store.openNow(arguments.path, for: schema, options)
    plain = RootContext(store, author: "plain", name: "plain")
    other = RootContext(store, author: "other")
    desk = try RootContext(store, author: "desk", draft: "desk")
    sheet = try desk.makeChild(draft: "desk/sheet")
    self.random = random
  }

  func restoreScreen() async throws { screen = try await FlushedScreen(store) }

  func run(steps: Int) async throws {
    try lookAround()
    for _ in 0..<steps {
      if Int.random(in: 0..<80, using: &random) == 0 { return try await close() }
      try await step()
      if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
    }
  }

  // MARK: What is there

  func lookAround() throws {
    try readLog()
    try desk.refresh()
    shown = DeskState(second: try stamp(2, in: desk, "desk"), third: try stamp(3, in: desk, "desk"))
    onSheet = try stamp(3, in: sheet, "sheet")
    if try stamp(2, in: sheet, "sheet") != shown.second { problem("the sheet does not show what is on the desk") }
    // A draft that was saved, or moved into its parent, must not lie above it once more.
    let deskIsEdited = shown.second != log.stamps[2] || shown.third != log.stamps[3]
    if desk.hasChanges != deskIsEdited { problem("the desk has changes: \(desk.hasChanges), \(shown) over \(log)") }
    if sheet.hasChanges != (onSheet != shown.third) {
      problem("the sheet has changes: \(sheet.hasChanges), \(onSheet) over \(shown)")
    }
    if desk.canUndo != desk.hasChanges { problem("the desk's steps are lost at \(shown)") }
    if let conflict = try desk.conflicts().first { problem("a conflict with nobody: \(conflict)") }
    if let conflict = try sheet.conflicts().first { problem("a conflict with the desk: \(conflict)") }
    say("found log=\(log) desk=\(shown) sheet=\(onSheet)" + (screen.map { " screen=\($0.stamp)" } ?? ""))
  }

  private func readLog() throws {
    try plain.refresh()
    for lane in 0..<4 { log.stamps[lane] = try stamp(lane, in: plain, "committed") }
    log.head = plain.position
    if try Chain.read(in: plain) != log.stamps[0] { problem("the chain of lane 0 is broken at \(log)") }
  }

  private func stamp(_ lane: Int, in context: ObjectContext, _ name: String) throws -> Int {
    switch try Lane.read(lane, in: context) {
    case .whole(let stamp): return stamp
    case .torn(let what):
      problem("lane \(lane), \(name): part of a step: \(what)")
      return -1
    }
  }

  private func newStamp() -> Int {
    defer { nextStamp += 1 }
    return nextStamp
  }

  private func renews() -> Bool { Int.random(in: 0..<6, using: &random) == 0 }

  // MARK: Steps

  private func step() async throws {
    if let screen, Int.random(in: 0..<4, using: &random) == 0 {
      return try await screen.change(
        to: newStamp(), flushing: Bool.random(using: &random), isTooEarly: canary == "screen")
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: try await savePlain()
    case 4..<6: try await saveBoth()
    case 6..<9: try editDesk()
    case 9..<12: try editSheet()
    case 12..<14: try moveSheetToDesk()
    case 14..<16: try await saveDesk()
    case 16: try await saveDeskWhileEditing()
    case 17: try discard()
    case 18: try undoAll()
    default: try await awaitTick()
    }
    // Most edits are waited for: what is not may be lost, so it shows nothing.
    if unkept > 0 && Int.random(in: 0..<3, using: &random) > 0 { try keep() }
  }

  private func savePlain() async throws {
    let stamp = newStamp()
    let next = log.saved(stamp, in: 0)
    say("may log=\(next)")
    if canary == "early" { say("is log=\(next)") }
    try Lane.edit(0, to: stamp, renewing: renews(), in: plain)
    if canary == "torn" {
      try await plain.save("Half")
      try Chain.extend(to: stamp, from: log.stamps[0], in: plain)
      try await plain.save("Other half")
    } else {
      try Chain.extend(to: stamp, from: log.stamps[0], in: plain)
      expect(try await plain.save("Save \(stamp)"), next)
    }
    log = next
    say("is log=\(log)")
  }

  /// Two contexts save at the same time, most often in one commit.
  private func saveBoth() async throws {
    let (first, second) = (newStamp(), newStamp())
    let (one, two) = (log.saved(first, in: 0), log.saved(second, in: 1))
    let both = one.saved(second, in: 1)
    say("may log=\(one) log=\(two) log=\(both)")
    try Lane.edit(0, to: first, renewing: renews(), in: plain)
    try Chain.extend(to: first, from: log.stamps[0], in: plain)
    try Lane.edit(1, to: second, renewing: renews(), in: other)
    let saving = Task {
      let position = try await other.save("Save \(second)")
      say("is log=\(two) log=\(both)")
      return position
    }
    let positions = [try await plain.save("Save \(first)"), try await saving.value]
    if Set(positions) != [one.head, both.head] { problem("two saves at \(positions), over \(log)") }
    log = both
    say("is log=\(log)")
  }

  private func editDesk() throws {
    let stamp = newStamp()
    let next = DeskState(second: stamp, third: shown.third)
    say("may desk=\(next)")
    try Lane.edit(2, to: stamp, renewing: renews(), in: desk)
    unkept += 1
    guard Int.random(in: 0..<3, using: &random) == 0 else { return shown = next }
    desk.undo()
    guard Bool.random(using: &random) else { return }
    desk.redo()
    shown = next
  }

  private func editSheet() throws {
    let stamp = newStamp()
    say("may sheet=\(stamp)")
    try Lane.edit(3, to: stamp, renewing: renews(), in: sheet)
    onSheet = stamp
    unkept += 1
  }

  private func moveSheetToDesk() throws {
    guard onSheet != shown.third else { return }
    let next = DeskState(second: shown.second, third: onSheet)
    say("may desk=\(next)")
    try sheet.save("Sheet \(onSheet)")
    shown = next
    unkept += 1
  }

  private func saveDesk() async throws {
    guard desk.hasChanges else { return }
    let next = log.saved(desk: shown)
    say("may log=\(next)")
    expect(try await desk.save("Desk \(shown)"), next)
    log = next
    say("is log=\(log)")
    say("is desk=\(shown)")
  }

  /// What is edited while a save waits lies above it, whichever comes first.
  private func saveDeskWhileEditing() async throws {
    guard desk.hasChanges else { return }
    let stamp = newStamp()
    let above = DeskState(second: stamp, third: shown.third)
    say("may log=\(log.saved(desk: shown)) log=\(log.saved(desk: above))")
    say("may desk=\(above)")
    let saving = Task { try await desk.save("Desk \(shown)") }
    if Bool.random(using: &random) { await Task.yield() }
    try Lane.edit(2, to: stamp, renewing: renews(), in: desk)
    unkept += 1
    expect(try await saving.value, log.saved(desk: shown))
    let committed = RootContext(store, isolation: nil)
    try committed.refresh()
    let saved = DeskState(second: try self.stamp(2, in: committed, "saved"), third: shown.third)
    if saved != shown && saved != above { problem("saved \(saved), neither \(shown) nor \(above)") }
    log = log.saved(desk: saved)
    say("is log=\(log)")
    say(saved == above ? "is desk=\(above)" : "is desk=\(saved) desk=\(above)")
    shown = above
  }

  private func discard() throws {
    if Bool.random(using: &random) {
      say("may sheet=\(shown.third)")
      sheet.discard()
      onSheet = shown.third
    } else if onSheet == shown.third {
      let next = DeskState(second: log.stamps[2], third: log.stamps[3])
      say("may desk=\(next)")
      say("may sheet=\(next.third)")
      desk.discard()
      shown = next
      onSheet = next.third
    }
    unkept += 1
  }

  /// Every step of the desk, those from before a kill too, can be taken back and done again.
  func undoAll() throws {
    guard desk.canUndo, onSheet == shown.third else { return }
    say("may desk=*")
    say("may sheet=*")
    var steps = 0
    while desk.canUndo {
      desk.undo()
      steps += 1
    }
    let below = DeskState(second: try stamp(2, in: desk, "undone"), third: try stamp(3, in: desk, "undone"))
    if below.second != log.stamps[2] || below.third != log.stamps[3] { problem("undone to \(below) over \(log)") }
    for _ in 0..<steps { desk.redo() }
    let again = DeskState(second: try stamp(2, in: desk, "redone"), third: try stamp(3, in: desk, "redone"))
    if again != shown { problem("redone to \(again), not to \(shown)") }
    unkept += 1
  }

  /// Waits until the journal has written everything, and says so.
  private func keep() throws {
    if canary != "draft" { try store.journal.flush() }
    unkept = 0
    say("is desk=\(shown)")
    say("is sheet=\(onSheet)")
  }

  /// The journal writes by itself, soon after the turn.
  private func awaitTick() async throws {
    try keep()
    if Bool.random(using: &random) { try editDesk() } else { try editSheet() }
    while canary != "draft" && !store.journal.isWritten { try await Task.sleep(nanoseconds: 200_000) }
    if survivesPowerCuts { return }
    unkept = 0
    say("is desk=\(shown)")
    say("is sheet=\(onSheet)")
  }

  /// Ends as a program should: everything is kept.
  private func close() async throws {
    try await store.close()
    say("is desk=\(shown)")
    say("is sheet=\(onSheet)")
    if let screen { say("is screen=\(screen.stamp)") }
    say("closed")
  }

  private func expect(_ position: Position, _ state: LogState) {
    if position != state.head { problem("saved at \(position), not at \(state.head)") }
  }
}

struct LogState: CustomStringConvertible {
  var stamps = [0, 0, 0, 0]
  var head = Position(0)

  func saved(_ stamp: Int, in lane: Int) -> LogState {
    var next = self
    next.stamps[lane] = stamp
    next.head = Position((UInt64(head.description) ?? 0) + 1)
    return next
  }

  func saved(desk: DeskState) -> LogState {
    var next = saved(desk.second, in: 2)
    next.stamps[3] = desk.third
    return next
  }

  var description: String { stamps.map(String.init).joined(separator: ",") + "@\(head)" }
}

struct DeskState: Equatable, CustomStringConvertible {
  var second = 0
  var third = 0
  var description: String { "\(second),\(third)" }
}
