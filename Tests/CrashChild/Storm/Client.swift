import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import RepriseTestSeeds

/// Edits rows of a server, with others who do so in the same store. Each save makes a note, edits the last one, deletes
/// the oldest, and counts; so a part of a save shows, here and on the server.
@MainActor struct Client {
  private static let kept = 4
  private let name: String
  private let process: StormProcess
  private let context: RootContext
  private let server: NoteServer
  private let source: RemoteSource<Note, NoteServer>
  private var count = 0

  init(_ process: StormProcess) throws {
    self.process = process
    name = process.arguments["name"]
    let store = try process.open()
    // A mistake that a test must find out: what comes from the server is not sent to it.
    context = RootContext(store, author: process.canary == "unsent" ? RemoteModels.author : name)
    server = NoteServer(
      of: store.path, pageSize: process.chance(2) ? 3 : 100, tellsChanges: process.chance(2),
      isForgetful: process.canary == "keyless", losing: SeededGenerator(seed: process.random.next()))
    source = try Self.source(context, server)
  }

  private static func source(_ context: RootContext, _ server: NoteServer) throws -> RemoteSource<Note, NoteServer> {
    var options = RemoteOptions()
    options.conflicts = .mine
    options.retry.attempts = 1
    return try RemoteSource(
      "notes", Fetch<Note>().sorted { $0.title }, in: context, from: server, mapping: NoteRecord.mapping,
      options: options)
  }

  mutating func run() async throws {
    try look()
    while !process.chance(200) {
      switch Int.random(in: 0..<12, using: &process.random) {
      case 0..<4: try await save()
      case 4: try await ask { try await source.send() }
      case 5: try await ask { try await source.refresh() }
      case 6: try await ask { try await source.loadMore() }
      case 7: try await ask { try await source.synchronize() }
      case 8: try server.remark(process.newStamp())
      default: await process.sleep(milliseconds: 0...15)
      }
    }
    if process.chance(2) { try await context.store.close() }
  }

  private func ask(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch RemoteError.unavailable {
      // It is asked again at some time.
    }
  }

  // MARK: Notes

  private func cell(_ name: String) throws -> Cell {
    try StormCells.cell(StormCells.clients[name] ?? 0, context)
  }

  /// Those of a client, by number; of a note that is there twice until the server has answered, the one made here.
  private func notes(of name: String) throws -> [Int: Note] {
    var found: [Int: Note] = [:]
    for note in try context.fetch(Fetch<Note>()) where note.title.hasPrefix(name + ".") {
      guard let number = Int(note.title.dropFirst(name.count + 1)) else { continue }
      if found[number] == nil || note.remoteID == nil { found[number] = note }
    }
    return found
  }

  private static func numbers(_ count: Int) -> ClosedRange<Int> { max(1, count - kept + 1)...max(1, count) }

  private mutating func look() throws {
    try context.refresh()
    count = try cell(name).stamp
    process.voice("found notes/\(name)=\(count)")
    for problem in try server.log.problems { process.voice.problem("the server: \(problem)") }
    let notes = try notes(of: name)
    for number in Self.numbers(count) where count > 0 && notes[number] == nil {
      process.voice.problem("\(name).\(number) is not there after \(count) saves")
    }
  }

  private mutating func save() async throws {
    try context.refresh()
    let notes = try notes(of: name)
    let next = count + 1
    process.voice("may notes/\(name)=\(next)")
    try cell(name).stamp = next
    context.insert(Note("\(name).\(next)", body: next))
    notes[count]?.body = next
    if let oldest = notes[next - Self.kept] { context.delete(oldest) }
    do {
      try await context.save("Note \(next)", merging: .mine)
      count = next
    } catch SaveError.refused {
      // The server's answer came meanwhile.
      context.discard()
    }
    process.voice("is notes/\(name)=\(count)")
  }

  // MARK: The end

  /// Once everything is sent and read, server and store have the same, and what each client has saved.
  static func tally(_ process: StormProcess, _ store: Store) async throws {
    let context = RootContext(store, author: "tally")
    let server = NoteServer(of: store.path)
    let source = try source(context, server)
    var rounds = 0
    while true {
      let before = try server.log.count
      try await source.synchronize()
      for conflict in try source.conflicts() { try await source.resolve(conflict, .mine) }
      if try source.pendingCount == 0, try server.log.count == before { break }
      rounds += 1
      if rounds == 20 { return process.voice.problem("the notes do not come to rest") }
    }
    let log = try server.log
    for problem in log.problems { process.voice.problem("the server: \(problem)") }
    let here = Set(try context.fetch(Fetch<Note>()).map(\.record))
    let there = Set(log.rows.values.map(\.record))
    if here != there {
      process.voice.problem("only here: \(here.subtracting(there)), only there: \(there.subtracting(here))")
    }
    for (name, lane) in StormCells.clients {
      let count = try StormCells.cell(lane, context).stamp
      process.voice("found notes/\(name)=\(count)")
      let expected = count == 0 ? [] : numbers(count).map { "\(name).\($0) \(min($0 + 1, count))" }
      let found = there.filter { $0.title.hasPrefix(name + ".") }.map { "\($0.title) \($0.body)" }
      if Set(found) != Set(expected) || found.count != expected.count {
        process.voice.problem("\(name) has saved \(count), and the server has \(found.sorted())")
      }
    }
  }
}
