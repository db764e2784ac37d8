import CRepriseLMDB
import RepriseSystem

extension Environment {
  /// Balances one open. The last close makes every later use throw `closed`. It closes the file now, or when the last
  /// live transaction ends.
  package func close() {
    let finishes: Bool = gate.withLock { gate in
      if gate.opens > 0 { gate.opens -= 1 }
      if gate.opens > 0 || gate.isShutDown { return false }
      gate.state = .closed
      return gate.live == 0
    }
    if finishes { shutDown() }
  }

  /// Closes the file, once. No transaction may be live.
  func shutDown() {
    // In a forked child all of this belongs to the parent: closing would free the parent's reader slots.
    if ForkGuard.generation.load(ordering: .relaxed) != forkGeneration { return }
    let pooled: [Handle]? = gate.withLock { gate in
      if gate.isShutDown { return nil }
      gate.isShutDown = true
      gate.state = .closed
      defer { gate.pooled = [] }
      return gate.pooled
    }
    guard let pooled else { return }
    for transaction in pooled { mdb_txn_abort(transaction.pointer) }
    mdb_env_close(handle.pointer)
    locks.release()
    Registry.release(identity)
  }
}
