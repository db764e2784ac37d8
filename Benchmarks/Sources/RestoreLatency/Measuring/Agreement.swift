/// All peers, and each of them in every round, have to restore the same from stores of the same shape: a fast restore
/// of something else is no figure.
final class Agreement {
  private var seen: [StoreShape: (check: Int, by: Peer)] = [:]

  func check(_ output: WorkerOutput, _ shape: StoreShape, _ peer: Peer) throws {
    guard let check = output.optional("check") else { return }
    guard let first = seen[shape] else {
      seen[shape] = (check, peer)
      return
    }
    if first.check != check {
      throw BenchmarkError.failed("restored \(check), and \(first.by.rawValue) \(first.check)")
    }
  }
}
