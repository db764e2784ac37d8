import Foundation

/// What has a budget, and how it is counted.
struct BudgetPlan {
  let workers: Workers
  let stores: StoreCache

  /// Something that a worker does.
  struct Work {
    let name: String
    let worker: String
    var linking = Linking.dynamic
    let command: String
    var arguments: [String] = []
    /// How often it is done in a run; `nil` for what is counted as a whole process.
    var rounds: Int?
    /// Whether it starts with a store, or makes one.
    var hasStore = true
    /// How often its instructions are counted, which takes fifty times as long as it does.
    var slowRuns = 3
    /// Whether the store is opened and closed before: otherwise the journal of the killed process is checkpointed a
    /// second later, in some runs.
    var isSettled = true
    /// Whether the number of waits for other threads is the same in each run.
    var countsWaits = false
  }

  static let works: [Work] = [
    Work(name: "restore.dynamic", worker: restoring, command: "restore", isSettled: false),
    Work(name: "restore.static", worker: restoring, linking: .static, command: "restore", isSettled: false),
    Work(name: "open", worker: all, command: "count", arguments: ["work=open"], rounds: 1, isSettled: false),
    Work(name: "read.byID", worker: all, command: "count", arguments: ["work=read"], rounds: 1_000),
    Work(name: "save.one", worker: all, command: "count", arguments: ["work=save"], rounds: 100, countsWaits: true),
    Work(name: "keystroke", worker: all, command: "count", arguments: ["work=keystroke"], rounds: 200),
    Work(name: "first50.half", worker: all, command: "query", arguments: ["question=first50.half"], rounds: 20),
    Work(name: "list.change", worker: all, command: "list", arguments: ["question=change.condition"], rounds: 100),
    Work(
      name: "load.1000", worker: all, command: "load", arguments: ["objects=10000", "batch=1000"], hasStore: false,
      slowRuns: 1),
    Work(
      name: "load.10000", worker: all, command: "load", arguments: ["objects=10000", "batch=10000"], hasStore: false,
      slowRuns: 1),
  ]

  /// The worker whose program has budgets of its own.
  static let program = restoring
  private static let restoring = "reprise-restore-worker"
  private static let all = "reprise-worker"
  private static let shape = StoreShape(objects: 10_000)

  func counts(of work: Work) throws -> Counts {
    let worker = try counted(workers.worker(named: work.worker, of: .reprise, work.linking), work.linking)
    defer { try? FileManager.default.removeItem(atPath: worker.path) }
    let counters = Counters(folder: stores.folder)
    func counts(_ rounds: Int?) throws -> Counts {
      let arguments = work.arguments + (rounds.map { ["rounds=\($0)"] } ?? [])
      var counts = try counters.counts(
        { worker.program(work.command, $0, arguments) },
        { try prepare(work, worker) }, slowRuns: work.slowRuns)
      if !work.countsWaits { counts[.waits] = nil }
      return counts
    }
    guard let rounds = work.rounds else { return try counts(nil) }
    return .each(of: try counts(rounds), without: try counts(0), rounds: rounds)
  }

  private func prepare(_ work: Work, _ worker: Worker) throws -> ScratchStore {
    guard work.hasStore else { return try stores.scratch() }
    let store = try stores.copy(Self.shape, of: .reprise)
    if work.isSettled { _ = try worker.run("count", store.path, ["work=settle"]) }
    return store
  }

  /// The worker without debugging information, which valgrind does not understand.
  private func counted(_ worker: Worker, _ linking: Linking) throws -> Worker {
    let path = "\(stores.folder)/counted-\(linking.rawValue)"
    let run = try Program(path: "strip", arguments: ["-g", "-o", path, worker.path]).run()
    guard run.status == 0 else { throw BenchmarkError.failed("strip: \(run.complaint.firstLine)") }
    return Worker(peer: worker.peer, path: path)
  }
}
