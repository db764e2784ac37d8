/// What one round of work gave.
struct Sample {
  /// Of rows, by their names: a trace has figures for two.
  var values: [String: [Double]] = [:]
  /// What the figure is made of (stages of a restore, anonymous memory) and what was measured beside it, by the
  /// worker's labels.
  var parts: [String: Double] = [:]
}

/// One peer at one piece of work, to be done so many times.
struct Sampler {
  let rows: [Row]
  let peer: Peer
  let rounds: Int
  /// Whether the work is done once, unmeasured, when all that is measured in turns is there.
  var warmsUp = false
  /// Builds what has to be there.
  let prepare: () throws -> Void
  let sample: (_ round: Int) throws -> Sample
  var finish: () -> Void = {}
}

/// What came of a row for one peer.
struct Figure {
  enum Outcome: Equatable {
    case measured(Summary)
    case skipped(BenchmarkError)
  }

  let row: Row
  let peer: Peer
  let outcome: Outcome
  /// Medians.
  var parts: [String: Double] = [:]

  /// Whether there is no figure although the machine has what it takes.
  var isFault: Bool {
    guard case .skipped(let reason) = outcome, case .failed = reason else { return false }
    return true
  }

  var summary: Summary? {
    switch outcome {
    case .measured(let summary): return summary
    case .skipped: return nil
    }
  }
}
