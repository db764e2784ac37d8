import Foundation
import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel
import RepriseSharing
import RepriseTesting
import XCTest

/// Servers that share one graph, each with a store of its own, over a log in memory.
@MainActor
final class SharedStores {
  /// One server.
  final class Server {
    let name: String
    let store: Store
    let sharing: SharedLog
    let connection: MemoryLogConnection

    init(_ name: String, _ store: Store, _ sharing: SharedLog, _ connection: MemoryLogConnection) {
      (self.name, self.store, self.sharing, self.connection) = (name, store, sharing, connection)
    }
  }

  let log = MemoryLog()
  let folder: String
  private let models: Schema

  init(_ models: Schema) throws {
    self.models = models
    folder = NSTemporaryDirectory() + "reprise-servers-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String) -> String { folder + "/" + name }

  /// Opens a server's store.
  ///
  /// - Parameters:
  ///   - other: A server to begin from, if the server has no store yet.
  ///   - patience: How long a save waits for the shared log, in nanoseconds.
  func open(
    _ name: String, for models: Schema? = nil, from other: Server? = nil, patience: UInt64 = 10_000_000_000,
    _ prepare: (MemoryLogConnection) -> Void = { _ in }
  ) async throws -> Server {
    if let other { try await StoreMaintenance.makeSeed(of: other.store, at: path(name)) }
    let connection = log.connection()
    prepare(connection)
    var options = SharedLog.Options()
    options.patience = patience
    options.retries = (.milliseconds(1), .milliseconds(5))
    let sharing = SharedLog(connection, options)
    let store = try Store.openNow(path(name), for: models ?? self.models, Self.options(sharing))
    return Server(name, store, sharing, connection)
  }

  static func options(_ sharing: SharedLog?) -> StoreOptions {
    var options = StoreOptions()
    options.isUnflushed = true
    options.mapSize = 1 << 34
    options.sharing = sharing
    return options
  }

  /// Returns when a server has the transactions that another one has.
  func wait(for server: Server, toReach other: Server) async throws {
    let head = try other.store.refreshedHead()
    while try server.store.refreshedHead() < head {
      server.sharing.lookForPackets()
      try await Task.sleep(for: .milliseconds(1))
      if let failure = server.sharing.status.failure { throw failure }
    }
  }

  func waitForFailure(of server: Server, _ failure: SharedLogError) async throws {
    while server.sharing.status.failure == nil { try await Task.sleep(for: .milliseconds(1)) }
    XCTAssertEqual(server.sharing.status.failure?.description, failure.description)
  }

  /// Saves, as soon as the shared log can be reached again.
  func save(_ context: RootContext) async throws {
    while true {
      do {
        try await context.save()
        return
      } catch SaveError.unavailable {}
    }
  }

  /// The packets that the shared log has.
  func packets(_ server: Server) throws -> [LogPacket] {
    let first = log.attach(to: server.store.logID).first
    guard case .packets(let page) = log.read(server.store.logID, after: first, limit: .max) else { return [] }
    return page.packets.map(\.packet)
  }

  func end(_ servers: Server...) async throws { try await end(servers) }
  func end(_ servers: [Server]) async throws { for server in servers { try await server.store.close() } }
}

extension SharedStores {
  /// How a process opens the file of a store.
  nonisolated static var environmentOptions: Environment.Options {
    var options = Environment.Options(tables: StoreTables.names)
    options.lazyTables = StoreTables.lazyNames
    options.isUnflushed = true
    options.mapSize = 1 << 34
    return options
  }
}

extension Replica {
  /// The replica in an open file.
  init(_ environment: Environment, _ path: String) throws {
    let tables = StoreTables(environment)
    let id = try environment.read { (transaction) throws(StorageError) in try tables.logID(transaction.view) }
    self.init(
      SharedStore(
        path: path, environment: environment, tables: tables, logID: id, keyframes: KeyframeSpacing()))
  }

  /// The replica that a store is.
  init(_ store: Store) {
    self.init(
      SharedStore(
        path: store.path, environment: store.environment, tables: store.tables, logID: store.logID,
        keyframes: KeyframeSpacing()))
  }
}

extension Replica {
  /// Begins a shared log, as another process of the machine does.
  func beginAlone() throws {
    try begin { (packet) throws(StoreError) in (LogPlace(epoch: 1, sequence: 1, packet: packet.id), packet) }
  }
}
