/// Turns rows into work for the peers' programs.
struct Samplers {
  let plan: Plan
  let workers: Workers
  let stores: StoreCache
  let agreement: Agreement

  /// What is measured in turns, round by round: all that starts processes on warm files together, so that sizes and
  /// ways to link can be compared with each other as peers can; each other row for itself.
  func groups(_ rows: [Row], _ peers: [Peer]) -> [[Sampler]] {
    var groups: [[Row]] = []
    for row in rows {
      if let last = groups.last?.last, row.work.isMeasured(with: last.work) {
        groups[groups.count - 1].append(row)
      } else {
        groups.append([row])
      }
    }
    return groups.map { group in
      let peers = peers.filter(group[0].work.isFor)
      if case .traced = group[0].work { return peers.map { sampler(group, $0) } }
      return group.flatMap { row in peers.map { sampler([row], $0) } }
    }
  }

  private func sampler(_ rows: [Row], _ peer: Peer) -> Sampler {
    let row = rows[0]
    let rounds = plan.rounds(of: row.work)
    switch row.work {
    case .start(let shape, let linking):
      return Sampler(
        rows: rows, peer: peer, rounds: rounds, warmsUp: true, prepare: { _ = try stores.store(shape, of: peer) },
        sample: { _ in try start(row, shape, linking, peer) })
    case .dropped(let shape):
      return Sampler(rows: rows, peer: peer, rounds: rounds, prepare: { _ = try stores.store(shape, of: peer) }) { _ in
        let worker = try workers.restoringWorker(of: peer, .dynamic)
        try PageCache.drop([stores.store(shape, of: peer), worker.path] + PageCache.libraries(of: worker.path))
        return try start(row, shape, .dynamic, peer)
      }
    case .inside(let shape, let command, let label, let changes, let freshly):
      let place = Place(stores: stores, shape: shape, peer: peer, changes: changes, freshly: freshly)
      return placed(rows, place) { round in
        try inside(row, place, command, roundsArgument(command, round), label) { output in
          try agreement.check(output, .restored(shape), peer)
        }
      }
    case .asked(let shape, let question):
      let place = Place(stores: stores, shape: shape, peer: peer, changes: question.writes)
      return placed(rows, place) { round in
        let arguments = [
          "question=\(question.name)", "rounds=\(plan.roundsInside(of: question))", "seed=\(round + 1)",
        ]
        return try inside(row, place, question.subject.rawValue, arguments, "sample") { output in
          try agreement.checkAnswer(output, row.name, round: question.changesAnswer ? round : nil, peer)
        }
      }
    case .rate(let shape, let command, let label, let arguments, let freshly):
      let place = Place(stores: stores, shape: shape, peer: peer, changes: true, freshly: freshly)
      return placed(rows, place) { round in
        let ran = try workers.worker(of: peer, .dynamic).run(
          command, place.path(), arguments + roundsArgument(command, round), deadline: 1_200)
        return try rate(row, ran.output, label)
      }
    case .made(let command, let label, let arguments):
      return Sampler(rows: rows, peer: peer, rounds: rounds, prepare: {}) { _ in
        let scratch = try stores.scratch()
        let ran = try workers.worker(of: peer, .dynamic).run(command, scratch.path, arguments, deadline: 1_200)
        return try rate(row, ran.output, label)
      }
    case .traced(let shape, _):
      let place = Place(stores: stores, shape: shape, peer: peer, changes: true)
      let trace = Tracing(worker: { try workers.worker(of: peer, .dynamic) }, saves: plan.roundsInside(of: "save"))
      return placed(rows, place) { round in
        try trace.sample(rows, place.path(), seed: round)
      }
    case .size(let shape, let command, let label, let per):
      let place = Place(stores: stores, shape: shape, peer: peer, changes: true)
      return placed(rows, place) { _ in
        let output = try workers.worker(of: peer, .dynamic).run(command, place.path()).output
        try agreement.check(output, .answered(row: row.name, round: nil), peer)
        let divisor = try per.map(output.one) ?? 1
        return Sample(values: [row.name: [Double(try output.one(label)) / Double(divisor)]])
      }
    }
  }

  /// One run of a worker that takes samples itself. What it labels otherwise was measured beside the row.
  private func inside(
    _ row: Row, _ place: Place, _ command: String, _ arguments: [String], _ label: String,
    check: (WorkerOutput) throws -> Void
  ) throws -> Sample {
    let output = try workers.worker(of: place.peer, .dynamic).run(command, place.path(), arguments, deadline: 600)
      .output
    try check(output)
    let medians = output.labels.subtracting([label, Agreement.label, RestoreStages.anonymous]).map { other in
      (other, Summary.median(of: output.all(other).map { Double($0) / 1_000 }) ?? 0)
    }
    return Sample(
      values: [row.name: output.all(label).map { Double($0) / 1_000 }],
      parts: Dictionary(uniqueKeysWithValues: medians))
  }

  private func placed(_ rows: [Row], _ place: Place, _ sample: @escaping (Int) throws -> Sample) -> Sampler {
    Sampler(
      rows: rows, peer: place.peer, rounds: plan.rounds(of: rows[0].work), prepare: { try place.prepare() },
      sample: sample, finish: { place.leave() })
  }

  /// SQLite does not write a page whose bytes stay the same: a seed makes the values of each round new.
  private func roundsArgument(_ command: String, _ round: Int) -> [String] {
    ["rounds=\(plan.roundsInside(of: command))", "seed=\(round + 1)"]
  }

  private func rate(_ row: Row, _ output: WorkerOutput, _ label: String) throws -> Sample {
    let seconds = Double(try output.one("elapsed")) / 1e9
    return Sample(values: [row.name: [Double(try output.one(label)) / seconds]])
  }

  private func start(_ row: Row, _ shape: StoreShape, _ linking: Linking, _ peer: Peer) throws -> Sample {
    let ran = try workers.restoringWorker(of: peer, linking).run("restore", stores.store(shape, of: peer))
    try agreement.check(ran.output, .restored(shape), peer)
    return try RestoreStages(ran.output, began: ran.began).sample(of: row.name)
  }
}

extension Work {
  /// Whether a peer takes part. Those that do not would be given stores for nothing.
  fileprivate func isFor(_ peer: Peer) -> Bool {
    switch self {
    case .start, .dropped: true
    case .asked: peer.hasStore && peer != .grdbUsual
    default: peer.hasStore
    }
  }

  fileprivate func isMeasured(with other: Work) -> Bool {
    switch (self, other) {
    case (.start, .start), (.traced, .traced): true
    default: false
    }
  }
}
