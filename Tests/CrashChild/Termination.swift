import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
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

/// A screen that is asked for its state, and says nothing of changes.
private final class Page: RestorableScreen {
  var text = ""
  func encodeRestorableState(with coder: RestorationEncoder) { coder.encode(text, forKey: "text") }
  func decodeRestorableState(with coder: RestorationDecoder) throws {
    text = try coder.decode(String.self, forKey: "text") ?? ""
  }
}

/// A window that is not the main actor's.
private actor Session {
  private var restoration: Restoration?

  func type(_ scene: String, _ store: Store) async throws {
    let window = try await makeWindow(scene, store)
    let page: Page = try window.open("page", id: "page")
    page.text = "typed in \(scene)"
    restoration = window
  }
}

private func makeWindow(
  _ scene: String, _ store: Store, isolation: isolated any Actor = #isolation
) async throws -> Restoration {
  let restoration = Restoration(store, scene: scene)
  try restoration.define(twoPhase: "page") { _, _ in Page() }
  try await restoration.restore()
  return restoration
}

/// Types, and waits for a signal. The journal's own thread writes nothing.
@MainActor enum Termination {
  /// Three windows of a store and one of another, of which one is told to flush. Another actor has the last one.
  static func typeInWindows(_ arguments: Arguments) async throws {
    var options = options()
    (options.journal.aim, options.journal.turnLimit) = (1_000_000_000_000, 1_000_000_000_000)
    let store = try Store.openNow(arguments.path, for: schema, options)
    let other = try Store.openNow(arguments.path + " other", for: schema, options)
    let windows = [
      try await makeWindow("one", store), try await makeWindow("two", store), try await makeWindow("three", other),
    ]
    windows[1].flushOnTermination()
    for window in windows {
      let page: Page = try window.open("page", id: "page")
      page.text = "typed in \(window.scene)"
    }
    let session = Session()
    try await session.type("four", store)
    say("typed")
    while true { try await Task.sleep(nanoseconds: 1_000_000_000) }
  }

  static func lookAtWindows(_ path: String) async throws {
    for (scene, path) in [("one", path), ("two", path), ("four", path), ("three", path + " other")] {
      let store = try Store.openNow(path, for: schema, options())
      let restoration = try await makeWindow(scene, store)
      let page: Page? = try restoration.screen(at: NodePath(["page"]))
      say("\(page?.text ?? "nothing"), \(restoration.report?.lastExit ?? .unknown)")
      restoration.end()
      if scene == "four" || scene == "three" { try await store.close() }
    }
  }

  /// Has a context, and does not show it.
  private struct Document {
    let context: RootContext
  }

  /// The archive is in a store of its own; who types does so in another one, which restores nothing.
  static func typeElsewhere(_ arguments: Arguments) async throws {
    var options = options()
    (options.journal.aim, options.journal.turnLimit) = (1_000_000_000_000, 1_000_000_000_000)
    let screens = try Store.openNow(arguments.path, for: Schema(), options)
    let cells = try Store.openNow(arguments.path + " cells", for: schema, options)
    let restoration = Restoration(screens)
    if arguments["hides"] == "yes" {
      try restoration.register(Document(context: cells.mainContext), as: RestorationKey<Document>("cells"))
    } else {
      try restoration.register(cells.mainContext, as: RestorationKey<RootContext>("cells"))
    }
    try await restoration.restore()
    restoration.flushOnTermination()
    let desk = try cells.mainContext.makeChild(draft: "desk")
    desk.insert(Cell(lane: 1, place: 1))
    if arguments["flushes"] == "yes" { try await restoration.flush(durable: true) }
    say("typed")
    let forever = WakeUp()
    if arguments["busy"] == "yes" { forever.wait(until: nil) }
    while true { try await Task.sleep(nanoseconds: 1_000_000_000) }
  }

  static func lookElsewhere(_ path: String) async throws {
    let screens = try Store.openNow(path, for: Schema(), options())
    let report = try await Restoration(screens).restore()
    say("\(report.lastExit)")
    try await look(path + " cells")
  }

  static func type(_ arguments: Arguments) async throws {
    var options = options()
    (options.journal.aim, options.journal.turnLimit) = (1_000_000_000_000, 1_000_000_000_000)
    let store = try Store.openNow(arguments.path, for: schema, options)
    let restoration = Restoration(store)
    try await restoration.restore()
    if arguments["flushes"] == "yes" { restoration.flushOnTermination() }
    let desk = try store.mainContext.makeChild(draft: "desk")
    desk.insert(Cell(lane: 1, place: 1))
    say("typed")
    let forever = WakeUp()
    let ownSignal = arguments.number("signal")
    if ownSignal != 0 {
      for _ in 0..<arguments.number("times", 1) { kill(getpid(), Int32(ownSignal)) }
      // A signal that does not end it must not make the test wait for ever.
      _ = SystemThread.start {
        forever.wait(until: WakeUp.now() + 30_000_000_000)
        exit(3)
      }
    }
    if arguments["busy"] == "yes" { WakeUp().wait(until: nil) }
    while true { try await Task.sleep(nanoseconds: 1_000_000_000) }
  }

  static func look(_ path: String) async throws {
    let store = try Store.openNow(path, for: schema, options())
    let desk = try store.mainContext.makeChild(draft: "desk")
    say("found \(try desk.fetch(Fetch<Cell>()).count)")
    try await store.close()
  }
}
