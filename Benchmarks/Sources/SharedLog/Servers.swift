import Foundation
import Reprise
import RepriseSharing

/// Servers that share one graph, in folders of a temporary directory.
final class Servers {
  struct Server: Sendable {
    let store: Store
    let log: TimedLog
    let path: String
  }

  private let folder = NSTemporaryDirectory() + "reprise-shared-log-\(UUID().uuidString)"
  private let makeTransport: () -> any LogTransport
  private var count = 0

  init(_ makeTransport: @escaping () -> any LogTransport) throws {
    self.makeTransport = makeTransport
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func newPath() -> String {
    count += 1
    return "\(folder)/\(count)"
  }

  /// Opens a server. It begins with a seed of another one, if there is one.
  func open(from other: Server? = nil) async throws -> Server {
    let path = newPath()
    if let other { try await StoreMaintenance.makeSeed(of: other.store, at: path) }
    return try await open(path)
  }

  func open(_ path: String) async throws -> Server {
    let log = TimedLog(makeTransport())
    let store = try await Store.open(path, for: Track.self, sharing: SharedLog(log))
    return Server(store: store, log: log, path: path)
  }

  func wait(for server: Server, toReach head: Position) async throws {
    while try server.store.log.head < head {
      if let failure = server.store.sharing?.status.failure { throw failure }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

extension Servers.Server {
  /// Saves new tracks.
  func save(_ numbers: Range<Int>) async throws {
    _ = try await store.write { context in for number in numbers { context.insert(Track(number)) } }
  }
}
