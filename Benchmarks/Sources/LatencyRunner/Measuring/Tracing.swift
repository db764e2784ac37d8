import Foundation

/// Counts what one save writes and flushes: a run of the worker under strace, less one that does all but save.
struct Tracing {
  let worker: () throws -> Worker
  let saves: Int

  func sample(_ rows: [Row], _ store: String, seed: Int) throws -> Sample {
    // A seed of its own: the values have to be new to the store, and untraced rounds had theirs.
    let saved = try trace(store, ["rounds=\(saves)", "seed=\(1_000 + seed)"])
    let difference = saved - (try trace(store, ["rounds=0"]))
    var sample = Sample()
    for row in rows {
      guard case .traced(_, let figure) = row.work else { continue }
      let total = figure == .bytes ? difference.bytes : difference.flushes
      sample.values[row.name] = [Double(total) / Double(saves)]
    }
    return sample
  }

  private func trace(_ store: String, _ arguments: [String]) throws -> WriteTrace {
    guard (try? Program(path: "strace", arguments: ["-V"]).run())?.status == 0 else {
      throw BenchmarkError.missing("strace")
    }
    let output = store + ".trace"
    defer { try? FileManager.default.removeItem(atPath: output) }
    let traced = try worker().program("save", store, arguments)
    let run = try Program(
      path: "strace", arguments: WriteTrace.options(output: output) + [traced.path] + traced.arguments
    ).run(deadline: 600)
    if run.complaint.contains("ptrace") { throw BenchmarkError.missing("the right to trace (ptrace)") }
    try Worker.check(run)
    return WriteTrace(try String(contentsOfFile: output, encoding: .utf8), store: store)
  }
}
