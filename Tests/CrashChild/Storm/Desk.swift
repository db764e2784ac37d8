import RepriseEventStore
import RepriseObjectGraph

/// A root context with a draft and its child with another one, and a text typed in each: what `Saver` does to whole
/// lanes, one edit at a time, as the journal may cut a turn that is held up.
@MainActor final class Desk {
  private let number: Int
  private let process: StormProcess
  private let store: Store
  private let desk: RootContext
  private let sheet: ChildContext

  /// What is committed, shown by the desk and by the sheet, if nothing went wrong.
  private var log = DeskState()
  private var shown = DeskState()
  private var onSheet = 0

  /// `nil` if somebody has it.
  init?(_ number: Int, _ store: Store, _ process: StormProcess) throws {
    self.number = number
    self.store = store
    self.process = process
    process.catchUp(store)
    do {
      let policy = process.canary == "replaced" ? ExistingDraftPolicy.replace : .resume
      desk = try RootContext(store, author: "desk", draft: "desk\(number)", ifPresent: policy)
      sheet = try desk.makeChild(draft: "desk\(number)/sheet")
    } catch DraftError.inUse {
      return nil
    }
    if process.canary == "unclaimed" {
      store.drafts.release(.draft("desk\(number)"))
      store.drafts.release(.draft("desk\(number)/sheet"))
    }
  }

  // MARK: What is there

  func lookAround() throws {
    let plain = RootContext(store, isolation: nil)
    try plain.refresh()
    try desk.refresh()
    log = try read(plain)
    shown = try read(desk)
    onSheet = try read(sheet).third
    if try read(sheet).second != shown.second { problem("the sheet does not show what is on the desk") }
    // A draft that was saved, or moved into its parent, must not lie above it once more.
    if desk.hasChanges != (shown != log) { problem("it has changes: \(desk.hasChanges), \(shown) over \(log)") }
    if sheet.hasChanges != (onSheet != shown.third) {
      problem("the sheet has changes: \(sheet.hasChanges), \(onSheet) over \(shown)")
    }
    if desk.canUndo != desk.hasChanges { problem("the steps are lost at \(shown)") }
    if sheet.canUndo != sheet.hasChanges { problem("the sheet's steps are lost at \(onSheet)") }
    for context in [desk, sheet] as [EditingContext] {
      if let conflict = try context.conflicts().first { problem("a conflict with nobody: \(conflict)") }
      if let loss = context.draftProblems.first { problem("lost: \(loss)") }
    }
    process.voice("found log/\(name)=\(log) desk/\(name)=\(shown) sheet/\(name)=\(onSheet)")
  }

  private var name: String { "desk\(number)" }

  private func problem(_ text: String) { process.voice.problem("\(name): \(text)") }

  private func read(_ context: ObjectContext) throws -> DeskState {
    DeskState(
      second: try number(in: StormCells.desk(number), context),
      third: try number(in: StormCells.sheet(number), context))
  }

  /// A text begins with the number that was typed; what follows is to be typed over, and long most of the time.
  private func number(in lane: Int, _ context: ObjectContext) throws -> Int {
    let text = try StormCells.cell(lane, context).text
    let parts = text.split(separator: " ", maxSplits: 1)
    let number = parts.first.flatMap { Int($0) } ?? 0
    if text != (number == 0 ? "" : Self.text(number)) { problem("\(number) is followed by '\(parts.last ?? "")'") }
    return number
  }

  private static func text(_ number: Int) -> String { "\(number) " + String(repeating: "grüßt ", count: number % 20) }

  private func type(_ number: Int, in lane: Int, _ context: EditingContext) throws {
    try StormCells.cell(lane, context).text = Self.text(number)
  }

  // MARK: Steps

  func step() async throws {
    switch Int.random(in: 0..<40, using: &process.random) {
    case 0..<16: try typeOnDesk()
    case 16..<30: try typeOnSheet()
    case 30..<33: try moveSheetToDesk()
    case 33..<35: try await save()
    case 35: try await saveWhileTyping()
    case 36: discard()
    case 37: try undoAll()
    case 38: await process.sleep(milliseconds: 20...80)
    default: try keep()
    }
  }

  private func say(_ word: String, log: DeskState? = nil, desk: [DeskState] = [], sheet: Int? = nil) {
    var line = word
    if let log { line += " log/\(name)=\(log)" }
    for state in desk { line += " desk/\(name)=\(state)" }
    if let sheet { line += " sheet/\(name)=\(sheet)" }
    process.voice(line)
  }

  /// What was said to come has been done: from here on the journal's time runs.
  private func made() { process.voice("made desk/\(name) sheet/\(name)") }

  private func typeOnDesk() throws {
    let next = DeskState(second: process.newStamp(), third: shown.third)
    say("may", desk: [next])
    try type(next.second, in: StormCells.desk(number), desk)
    made()
    shown = next
  }

  private func typeOnSheet() throws {
    let next = process.newStamp()
    say("may", sheet: next)
    try type(next, in: StormCells.sheet(number), sheet)
    made()
    onSheet = next
  }

  private func moveSheetToDesk() throws {
    guard onSheet != shown.third else { return }
    let next = DeskState(second: shown.second, third: onSheet)
    say("may", desk: [next])
    try sheet.save("Sheet \(onSheet)")
    made()
    shown = next
  }

  private func save() async throws {
    guard desk.hasChanges else { return }
    say("may", log: shown)
    try await desk.save("Desk \(shown)")
    log = shown
    say("is", log: log, desk: [shown])
  }

  /// What is typed while a save waits lies above it.
  private func saveWhileTyping() async throws {
    guard desk.hasChanges else { return }
    let saved = shown
    let above = DeskState(second: process.newStamp(), third: shown.third)
    say("may", log: saved)
    say("may", log: above, desk: [above])
    let saving = Task { try await desk.save("Desk \(saved)") }
    if process.chance(2) { await Task.yield() }
    try type(above.second, in: StormCells.desk(number), desk)
    made()
    _ = try await saving.value
    shown = above
    // Whichever came first.
    log = desk.hasChanges ? saved : above
    say("is", log: log, desk: log == above ? [above] : [saved, above])
    if log != above { made() }
  }

  private func discard() {
    if process.chance(2) {
      say("may", sheet: shown.third)
      sheet.discard()
      onSheet = shown.third
    } else if onSheet == shown.third {
      say("may", desk: [log], sheet: log.third)
      desk.discard()
      shown = log
      onSheet = log.third
    }
    made()
  }

  /// Every step, those from before a kill too, can be taken back and done again.
  private func undoAll() throws {
    guard desk.canUndo, onSheet == shown.third else { return }
    process.voice("may desk/\(name)=* sheet/\(name)=*")
    var steps = 0
    while desk.canUndo {
      desk.undo()
      steps += 1
    }
    let below = try read(desk)
    if below != log { problem("undone to \(below) over \(log)") }
    for _ in 0..<steps { desk.redo() }
    let again = try read(desk)
    if again != shown { problem("redone to \(again), not to \(shown)") }
    say("may", desk: [shown], sheet: onSheet)
    made()
  }

  /// Waits until the journal has written everything, and says so.
  func keep() throws {
    if process.canary != "deaf" { try store.journal.write() }
    say("is", desk: [shown], sheet: onSheet)
  }
}
