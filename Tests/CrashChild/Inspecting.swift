import RepriseDynamic
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseRestoration
import RepriseSystem

/// A process that types until it is killed, and a tool that looks at it without the models of the store.
@MainActor enum Inspecting {
  @MainActor private final class Page: @MainActor RestorableScreen {
    var text = ""
    func encodeRestorableState(with coder: RestorationEncoder) { coder.encode(text, forKey: "text") }
    func decodeRestorableState(with coder: RestorationDecoder) throws {
      text = try coder.decode(String.self, forKey: "text") ?? ""
    }
  }

  /// Two edits of a draft and the state of a screen in each turn, all with one number.
  static func type(_ arguments: Arguments) async throws {
    let store = try openStore(arguments.path)
    let restoration = Restoration(store, scene: "window")
    try restoration.define(twoPhase: "page") { _, _ in Page() }
    try await restoration.restore()
    let page: Page = try restoration.open("page", id: "page")
    let desk = try store.mainContext.makeChild(draft: "desk")
    let cells = (1...2).map { desk.insert(Cell(lane: 1, place: $0)) }
    var number = 0
    while true {
      number += 1
      for cell in cells { cell.stamp = number }
      page.text = "typed \(number)"
      restoration.invalidateState(of: page)
      try await restoration.flush()
      // Later, nobody reads it.
      if number <= 50 { say("typed \(number)") }
      if number % 20 == 0 { try await store.journals.checkpoint() }
      if arguments["once"] == "yes", number == 3 { break }
    }
    while true { try await Task.sleep(nanoseconds: 1_000_000_000) }
  }

  private static func name(_ process: Int32?) -> String { process.map { "\($0)" } ?? "nobody" }

  /// Looks so many times.
  static func look(_ arguments: Arguments) async throws {
    let store = try await Store.open(inspecting: arguments.path)
    var last = 0
    for _ in 0..<arguments.number("times", 1) {
      let token = try store.draftsToken()
      let drafts = try store.drafts.all()
      let screens = try Restoration.archive(of: "window", in: store)
      let isUnchanged = try store.draftsToken() == token
      let stamps = drafts.flatMap(\.preview).flatMap(\.properties).compactMap { property -> Int? in
        guard property.name == "stamp", case .int(let number) = property.new else { return nil }
        return Int(number)
      }
      guard let number = stamps.last else { continue }
      if stamps != [number, number] { problem("a turn was found in part: \(stamps)") }
      if number < last { problem("\(number) was found after \(last)") }
      last = number
      let state = screens?.nodes.first.flatMap(\.state).map { "\($0)" } ?? "nothing"
      if isUnchanged, !state.contains("typed \(number)\"") { problem("the screen shows \(state), not \(number)") }
    }
    say("found \(last)")
    let drafts = try store.drafts.all().map { "\($0.id) \($0.isInUse) \(name($0.process))" }
    say(drafts.joined(separator: ", "))
    let scenes = try Restoration.scenes(in: store).map {
      "\($0.name) \($0.paths) \($0.isInUse) \(name($0.process))"
    }
    say(scenes.joined(separator: ", "))
    say("open in \(try store.openProcesses())")
    for text in store.drafts.journalProblems { problem(text) }
    if arguments["stays"] == "yes" { while true { try await Task.sleep(nanoseconds: 1_000_000_000) } }
    try await store.close()
  }
}
