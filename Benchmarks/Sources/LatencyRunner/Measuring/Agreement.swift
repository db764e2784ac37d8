/// All peers, and each of them in every round, have to find the same in stores of the same shape: a fast answer to
/// something else is no figure.
final class Agreement {
  enum Subject: Hashable {
    case restored(StoreShape)
    /// To the question of a row; in each round another one, if a round changes the store.
    case answered(row: String, round: Int?)

    fileprivate var verb: String {
      switch self {
      case .restored: "restored"
      case .answered: "answered"
      }
    }
  }

  private var seen: [Subject: (check: Int, by: Peer)] = [:]

  /// Does nothing if the worker had nothing to check.
  func check(_ output: WorkerOutput, _ subject: Subject, _ peer: Peer) throws {
    if let check = output.optional(Self.label) { try agree(check, subject, peer) }
  }

  /// Fails if the worker had nothing to check.
  func checkAnswer(_ output: WorkerOutput, _ row: String, round: Int?, _ peer: Peer) throws {
    try agree(try output.one(Self.label), .answered(row: row, round: round), peer)
  }

  private func agree(_ check: Int, _ subject: Subject, _ peer: Peer) throws {
    guard let first = seen[subject] else {
      seen[subject] = (check, peer)
      return
    }
    if first.check != check {
      throw BenchmarkError.failed("\(subject.verb) \(check), and \(first.by.rawValue) \(first.check)")
    }
  }

  static let label = "check"
}
