/// Runs groups of samplers in turns.
struct Measurement {
  /// Called with the figures of each group as it is done.
  let report: ([Figure]) -> Void

  func run(_ groups: [[Sampler]]) -> [Figure] {
    groups.flatMap { group in
      let figures = run(group)
      report(figures)
      return figures
    }
  }

  private func run(_ samplers: [Sampler]) -> [Figure] {
    var states = samplers.map(State.init)
    for index in states.indices { states[index].attempt { try $0.prepare() } }
    let names = samplers.flatMap(\.rows).map(\.name)
    if let first = names.first {
      Progress.note("measuring \(first)\(Set(names).count > 1 ? " to \(names[names.count - 1])" : "")")
    }
    Scheduling.realTime { _ in
      for index in states.indices where states[index].sampler.warmsUp {
        states[index].attempt { _ = try $0.sample(0) }
      }
      for round in 0..<(samplers.map(\.rounds).max() ?? 0) {
        for index in states.indices where round < states[index].sampler.rounds {
          states[index].attempt { try $0.sample(round) }
        }
      }
    }
    for sampler in samplers { sampler.finish() }
    // By rows, where a sampler has figures for several.
    let figures = states.flatMap(\.figures)
    return names.reduce(into: [String]()) { unique, name in if !unique.contains(name) { unique.append(name) } }
      .flatMap { name in figures.filter { $0.row.name == name } }
  }

  private struct State {
    let sampler: Sampler
    private var samples: [Sample] = []
    private var error: BenchmarkError?

    init(_ sampler: Sampler) { self.sampler = sampler }

    mutating func attempt(_ work: (Sampler) throws -> Sample) {
      guard error == nil else { return }
      do { samples.append(try work(sampler)) } catch { note(error) }
    }

    mutating func attempt(_ work: (Sampler) throws -> Void) {
      guard error == nil else { return }
      do { try work(sampler) } catch { note(error) }
    }

    private mutating func note(_ found: any Error) {
      error = found as? BenchmarkError ?? .failed("\(found)")
    }

    var figures: [Figure] {
      if error == .unsupported { return [] }
      return sampler.rows.map { row in
        guard let summary = Summary(samples.flatMap { $0.values[row.name] ?? [] }), error == nil else {
          return Figure(row: row, peer: sampler.peer, outcome: .skipped(error ?? .failed("no samples")))
        }
        let names = Set(samples.flatMap(\.parts.keys))
        let parts = names.map { name in (name, Summary.median(of: samples.compactMap { $0.parts[name] }) ?? 0) }
        return Figure(
          row: row, peer: sampler.peer, outcome: .measured(summary), parts: Dictionary(uniqueKeysWithValues: parts))
      }
    }
  }
}
