import ArgumentParser
import Foundation

/// Holds counts that a busy machine does not change against their budgets.
public struct BudgetCommand: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "budgets",
    abstract:
      "Counts instructions, page faults, system calls, bytes and flushes, and fails where one is over its budget.")

  public init() {}

  @Option(help: ArgumentHelp("Only what begins so; may be repeated.", valueName: "name"))
  var only: [String] = []

  @Flag(help: "Lowers budgets to what was counted; those that were exceeded stay.")
  var lower = false

  @Flag(help: "Writes what was counted, also where that raises a budget: in a commit of its own, which says why.")
  var write = false

  @Option(help: ArgumentHelp("Processor time of a first build, in that of the reference build.", valueName: "times"))
  var buildTime: Double?

  @Option(help: "Where the budgets are.")
  var file = "Benchmarks/budgets.json"

  @Option(help: ArgumentHelp("Where workers are and stores are kept.", valueName: "folder"))
  var folder = "Benchmarks/.build"

  public func run() throws {
    if let tool = ["valgrind", "strace", "readelf"].first(where: { !Counters.isThere($0) }) {
      if ProcessInfo.processInfo.environment["CI"] != nil { throw BenchmarkError.missing(tool) }
      print("budgets: skipped, because \(tool) is missing; '.ci/setup budgets' installs it")
      return
    }
    // Inherited by every program that is counted.
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    let workers = Workers(folder: folder + "/workers")
    let stores = try StoreCache(folder: folder + "/stores", workers: workers, keepsOld: false)
    let plan = BudgetPlan(workers: workers, stores: stores)
    var budgets = write && !FileManager.default.fileExists(atPath: file) ? BudgetFile() : try BudgetFile(file: file)
    var measured: [String: Counts] = [:]
    for work in BudgetPlan.works where isWanted(work.name) {
      Progress.begin(work.name)
      let began = Clock.now()
      var counts = try plan.counts(of: work)
      // What else runs on the machine adds to some counts. Work that costs more costs more each time.
      for _ in 0..<2 where !write && BudgetCheck([work.name: counts], against: budgets).hasExceededBudgets {
        counts.merge(try plan.counts(of: work)) { min($0, $1) }
      }
      measured[work.name] = counts
      Progress.end("\((Clock.now() - began) / 1_000_000) ms")
    }
    if isWanted("program") {
      let path = try workers.worker(named: BudgetPlan.program, of: .reprise, .dynamic).path
      measured["program"] = try ProgramSize(path: path, folder: stores.folder).counts()
    }
    if let buildTime, isWanted("first-build") { measured["first-build"] = [.buildTime: buildTime] }
    if measured.isEmpty { throw ValidationError("nothing that is counted begins with \(only)") }

    let check = BudgetCheck(measured, against: budgets)
    for line in check.text { print(line) }
    if lower || write {
      budgets.take(measured, onlyLower: !write)
      try budgets.write(to: file)
    }
    if !check.exceeded.isEmpty, !write { throw ExitCode.failure }
  }

  private func isWanted(_ name: String) -> Bool { only.isEmpty || only.contains { name.hasPrefix($0) } }
}
