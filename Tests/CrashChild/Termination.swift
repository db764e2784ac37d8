import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery
import RepriseRestoration
import RepriseSystem

/// Types, and waits for a signal. The journal's own thread writes nothing.
@MainActor enum Termination {
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
    if arguments["busy"] == "yes" { forever.wait(until: nil) }
    while true { try await Task.sleep(nanoseconds: 1_000_000_000) }
  }

  static func look(_ path: String) async throws {
    let store = try Store.openNow(path, for: schema, options())
    let desk = try store.mainContext.makeChild(draft: "desk")
    say("found \(try desk.fetch(Fetch<Cell>()).count)")
    try await store.close()
  }
}
