import RepriseCore
import RepriseApp
import Workload

/// The commands of a worker, over either of the two models.
@MainActor public enum RepriseWorker<Item: BenchmarkItem> {
  /// Does what the arguments say and ends the process.
  ///
  /// - Parameter main: When the program's own code began.
  public static func run(_ program: String, main: Int) async -> Never {
    guard let arguments = Arguments() else {
      WorkerExit.fail(program, "usage: \(program) COMMAND STORE [name=value]…")
    }
    do {
      try await run(arguments, main)
    } catch {
      WorkerExit.fail(program, "\(error)")
    }
    WorkerExit.end()
  }

  private static func run(_ arguments: Arguments, _ main: Int) async throws {
    let path = arguments.store
    let rounds = arguments.number("rounds", default: 100)
    switch arguments.command {
    case "make", "load":
      let objects = arguments.number("objects", default: 10_000)
      let events = arguments.number("events", default: objects)
      let batch = max(1, arguments.number("batch", default: 1_000))
      let making = Making<Item>(path: path)
      if arguments.command == "make" {
        try await making.make(objects: objects, events: events, batch: batch)
      } else {
        try await making.load(objects: objects, batch: batch)
      }
    case "make-tasks":
      try await Tasks(path: path).make(
        objects: arguments.number("objects", default: 10_000), batch: max(1, arguments.number("batch", default: 1_000)))
    case "make-tree": try await Trees(path: path).make(nodes: arguments.number("objects", default: 10_000))
    case "make-drafts":
      try await Drafts<Item>(path: path).make(
        objects: arguments.number("objects", default: 10_000), batch: max(1, arguments.number("batch", default: 1_000)))
    case "make-mirror": try await Mirrors(path: path).make(objects: arguments.number("objects", default: 10_000))
    case "make-graph":
      try await Graphs(path: path).make(
        objects: arguments.number("objects", default: 10_000), batch: max(1, arguments.number("batch", default: 1_000)))
    case "make-history":
      try await Histories(path: path).make(
        objects: arguments.number("objects", default: 10_000), batch: max(1, arguments.number("batch", default: 1_000)))
    case "make-long-history", "make-kept-history":
      BenchmarkRecord.keepsHistory = arguments.command == "make-kept-history"
      let objects = arguments.number("objects", default: 10_000)
      try await Histories(path: path).makeLong(
        objects: objects, events: arguments.number("events", default: objects),
        batch: max(1, arguments.number("batch", default: 1_000)))
    case "history": try await Histories(path: path).ask(arguments.text("question", default: ""), rounds: rounds)
    case "type": try await LongTexts<Item>(path: path).type()
    case "compact", "backup", "copy": try await Copies(path: path).make(arguments.command)
    case "follow": try await Histories(path: path).follow(after: arguments.number("after", default: 0))
    case "graph":
      try await Graphs(path: path).ask(
        arguments.text("question", default: ""), rounds: rounds, seed: arguments.number("seed", default: 1))
    case "graph-load":
      try await Graphs(path: path).load(arguments.number("objects", default: 1_000_000), batch: 1_000)
    case "mirror-load": try await Mirrors(path: path).load(arguments.number("objects", default: 10_000))
    case "mirror-load-1M": try await Mirrors(path: path).load(1_000_000)
    case "graph-bytes": try await Graphs(path: path).bytes()
    case "graph-convert": try await Graphs(path: path).convert(to: arguments.number("seed", default: 1))
    case "restore": try await Restoring<Item>(path: path).once(main: main)
    case "inside": try await Restoring<Item>(path: path).inside(rounds: rounds)
    case "read": try await Reading<Item>(path: path).read(rounds: rounds)
    case "rank": try await Reading<Item>(path: path).rank(rounds: rounds)
    case "save", "save-eight", "save-worst":
      let changesIndex = arguments.text("attribute", default: "value") == "date"
      let saving = Saving<Item>(path: path, changesIndex: changesIndex)
      switch arguments.command {
      case "save": try await saving.save(rounds: rounds)
      case "save-worst": try await saving.saveWorst(seconds: rounds, contexts: 8)
      default: try await saving.saveTogether(rounds: rounds, contexts: arguments.number("contexts", default: 8))
      }
    case "count": try await Counting<Item>(path: path).run(arguments.text("work", default: ""), rounds: rounds)
    case "discard":
      try await Discarding<Item>(path: path).run(edits: arguments.number("edits", default: 1_000), rounds: rounds)
    case "rebuild": try await rebuild(path)
    case "value-in", "value-out", "value-file": try await Blobs(path: path).run(arguments.command)
    case "index-build": try await Indexing(path: path).run()
    case "sizes": try await Sizing<Item>(path: path).sizes()
    case "keystroke": try await Sizing<Item>(path: path).keystroke()
    case "query":
      let question = arguments.text("question", default: "")
      if try await Tasks(path: path).ask(question, rounds: rounds) { break }
      try await Querying<Item>(path: path).ask(question, rounds: rounds)
    case "list":
      try await Listing<Item>(path: path).ask(
        arguments.text("question", default: ""), rounds: rounds, seed: arguments.number("seed", default: 1))
    case "restoration":
      let question = arguments.text("question", default: "")
      if try await Trees(path: path).ask(question, rounds: rounds) { break }
      if try await Mirrors(path: path).ask(question, rounds: rounds) { break }
      if try await Lag<Item>(path: path).ask(question, rounds: rounds) { break }
      if try await !Drafts<Item>(path: path).ask(question, rounds: rounds) { WorkerExit.end(WorkerExit.unsupported) }
    case "restoration-bytes": try await Trees(path: path).bytes()
    case "list-memory": try await Listing<Item>(path: path).memory()
    default: WorkerExit.end(WorkerExit.unsupported)
    }
  }

  private static func rebuild(_ path: String) async throws {
    let began = Bench.now()
    let report = try await StoreMaintenance.rebuild(path)
    Bench.put("events", report.events)
    Bench.put("elapsed", Bench.now() - began)
  }
}
