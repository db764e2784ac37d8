import RepriseCore
import RepriseEventStore
import RepriseSharing
import RepriseSystem
import RepriseTesting

/// A server of a test, with a store that shares a log in memory.
package final class TestServer: Sendable {
  private let log: MemoryLog
  private let last: Guarded<MemoryLogConnection>

  package convenience init() { self.init(MemoryLog()) }

  private init(_ log: MemoryLog) {
    self.log = log
    last = Guarded(log.connection())
  }

  /// The connection of the store as last opened.
  package var connection: MemoryLogConnection { last.withLock(\.self) }

  /// The shared log for an opening of the store.
  package func connect() -> any LogSharing {
    let connection = log.connection()
    last.withLock { $0 = connection }
    var options = SharedLog.Options()
    options.retries = (.milliseconds(1), .milliseconds(5))
    return SharedLog(connection, options)
  }

  /// Another server, which begins with a seed of a store.
  package nonisolated(nonsending) func join(
    _ store: Store, for schema: Schema
  ) async throws -> (TestServer, TemporaryStore) {
    let (seed, other) = (store.path + "-seed", TestServer(log))
    try await StoreMaintenance.makeSeed(of: store, at: seed)
    return (other, try TemporaryStore(for: schema, journal: JournalOptions(), from: seed, sharing: other.connect))
  }

  /// Loses the answer to the next append, half of the time.
  package func mayLoseAnswer(using random: inout some RandomNumberGenerator) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: connection.loseNextAnswer(.afterAppending)
    case 1: connection.loseNextAnswer(.beforeAppending)
    case 2: connection.loseNextAnswer(.whileConnecting)
    default: break
    }
  }
}

extension Store {
  /// Returns when the store has all transactions up to a position, or hardly will have them any more.
  package nonisolated(nonsending) func follow(to position: Position) async throws {
    for _ in 0..<20_000 {
      if try refreshedHead() >= position { return }
      sharing?.lookForPackets()
      try await Task.sleep(for: .milliseconds(1))
      if let failure = sharing?.status.failure { throw failure }
    }
  }
}
