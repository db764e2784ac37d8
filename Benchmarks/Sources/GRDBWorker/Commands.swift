import Workload

/// The commands of the worker.
enum Commands {
  static func run(_ arguments: Arguments, main: Int) throws {
    let path = arguments.store
    let usual = arguments.number("usual", default: 0) == 1
    let rounds = arguments.number("rounds", default: 100)
    let objects = arguments.number("objects", default: 10_000)
    let batch = max(1, arguments.number("batch", default: 1_000))
    let changesIndex = arguments.text("attribute", default: "value") == "date"
    let making = Making(path: path, usual: usual)
    let reading = Reading(path: path, usual: usual)
    let writing = Writing(path: path, usual: usual, changesIndex: changesIndex)
    switch arguments.command {
    case "make":
      try making.make(objects: objects, events: arguments.number("events", default: objects), batch: batch)
    case "load": try making.load(objects: objects, batch: batch)
    case "restore": try Restoring(path: path, usual: usual).once(main: main)
    case "inside": try Restoring(path: path, usual: usual).inside(rounds: rounds)
    case "read": try reading.read(rounds: rounds)
    case "rank": try reading.rank(rounds: rounds)
    case "sizes": try reading.sizes()
    case "save": try writing.save(rounds: rounds)
    case "save-eight":
      try writing.saveTogether(rounds: rounds, contexts: arguments.number("contexts", default: 8))
    case "save-worst": try writing.saveWorst(seconds: rounds, contexts: 8)
    case "discard": try writing.discard(edits: arguments.number("edits", default: 1_000), rounds: rounds)
    // Queries and lists are asked of the best form alone.
    case "value-in" where !usual, "value-out" where !usual: try Blobs(path: path).run(arguments.command)
    case "make-tasks" where !usual: try Tasks(path: path).make(objects: objects, batch: batch)
    case "make-graph" where !usual: try Graphs(path: path).make(objects: objects, batch: batch)
    case "make-history" where !usual: try Histories(path: path).make(objects: objects, batch: batch)
    case "history" where !usual:
      try Histories(path: path).ask(arguments.text("question", default: ""), rounds: rounds)
    case "graph" where !usual:
      try Graphs(path: path).ask(
        arguments.text("question", default: ""), rounds: rounds, seed: arguments.number("seed", default: 1))
    case "graph-convert" where !usual: try Graphs(path: path).convert(to: arguments.number("seed", default: 1))
    case "query" where !usual:
      let question = arguments.text("question", default: "")
      if try !Tasks(path: path).ask(question, rounds: rounds) {
        try Querying(path: path).ask(question, rounds: rounds)
      }
    case "list" where !usual:
      try Listing(path: path).ask(
        arguments.text("question", default: ""), rounds: rounds, seed: arguments.number("seed", default: 1))
    case "list-memory" where !usual: try Listing(path: path).memory()
    default: WorkerExit.end(WorkerExit.unsupported)
    }
  }
}
