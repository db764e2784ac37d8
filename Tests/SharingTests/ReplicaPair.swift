import Foundation
import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel
import RepriseSharing
import XCTest

/// A store, and a replica of it that follows by packets.
@MainActor
final class ReplicaPair {
  private(set) var source: Store
  private(set) var replica: Store
  private let folder: String
  private let models: Schema
  /// The last packet that was made, and where it ended.
  private var lastMade: (id: UniqueID?, position: Position)
  private(set) var lastApplied: UniqueID?

  /// - Parameter prepare: Changes the store before the replica is made.
  init(_ models: Schema, _ prepare: (Store) async throws -> Void) async throws {
    folder = NSTemporaryDirectory() + "reprise-replicas-\(UUID().uuidString)"
    self.models = models
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    source = try Store.openNow(folder + "/source", for: models, Self.options)
    try await prepare(source)
    try await StoreMaintenance.backup(source, to: folder + "/replica")
    replica = try Store.openNow(folder + "/replica", for: models, Self.options)
    lastMade = (nil, try source.refreshedHead())
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static var options: StoreOptions {
    var options = StoreOptions()
    options.isUnflushed = true
    options.mapSize = 1 << 34
    return options
  }

  /// Opens the source with other models.
  func openSource(_ models: Schema) async throws {
    try await source.close()
    source = try Store.openNow(folder + "/source", for: models, Self.options)
  }

  /// The transactions since the last call, in packets of so many.
  func packets(of size: Int) throws -> [LogPacket] {
    var packets: [LogPacket] = []
    let head = try source.refreshedHead()
    while lastMade.position < head {
      let packet = try source.environment.read { (transaction) throws(StorageError) in
        let first = lastMade.position + 1
        var writer = PacketWriter(
          after: lastMade.id, logID: source.logID, replica: source.logID, first: first,
          try MetaTable(source.tables.meta).schema(transaction.view))
        for position in stride(from: first, through: min(head, Position(first.number + UInt64(size) - 1)), by: 1) {
          try LogTable(source.tables.log).withFrame(position, transaction.view) { (frame) throws(MalformedBytes) in
            try writer.add(frame)
          }
          lastMade.position = position
        }
        return try writer.finish(source.tables, transaction.view)
      }
      lastMade.id = packet.id
      packets.append(packet)
    }
    return packets
  }

  /// Applies packets in one commit.
  func apply(_ packets: [LogPacket]) throws {
    try replica.environment.write { (transaction) throws(PacketError) in
      var applier = try PacketError.converting { () throws(StorageError) in
        try PacketApplier(
          replica.tables, logID: replica.logID, after: lastApplied, keyframes: KeyframeSpacing(), transaction.view)
      }
      for packet in packets { try applier.apply(packet, transaction) }
      try PacketError.converting { () throws(StorageError) in try applier.finish(transaction) }
    }
    lastApplied = packets.last?.id ?? lastApplied
  }

  /// Both stores are sound, and have the same rows. Nodes of indexes may be divided otherwise.
  func requireEqual(_ message: @autoclosure () -> String = "", line: UInt = #line) throws {
    for store in [source, replica] {
      XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [], message(), line: line)
    }
    for name in ["log", "objects", "values", "meta"] {
      let (left, right) = (try rows(name, of: source), try rows(name, of: replica))
      // A count of 0 may be missing.
      let other = Set(left.keys).union(right.keys).filter {
        left[$0] != right[$0] && !(name == "meta" && $0.first == UInt8(ascii: "c") && isZero(left[$0], right[$0]))
      }
      XCTAssertEqual(
        other.map { String(decoding: $0, as: UTF8.self) }.sorted(), [], "\(name): \(message())", line: line)
    }
    XCTAssertEqual(try usedBlobs(of: source), try usedBlobs(of: replica), message(), line: line)
  }

  private func isZero(_ values: [UInt8]?...) -> Bool { values.allSatisfy { $0?.allSatisfy { $0 == 0 } ?? true } }

  /// The digests of the blobs that a transaction refers to. The source also has blobs of refused saves.
  private func usedBlobs(of store: Store) throws -> Set<[UInt8]> {
    let keys = try rows("blobs", of: store).keys
    let unused = Set(keys.filter { $0.first == 2 }.map { Array($0.dropFirst()) })
    return Set(keys.filter { $0.first == 1 }.map { Array($0.dropFirst()) }).subtracting(unused)
  }

  private func rows(_ table: String, of store: Store) throws -> [[UInt8]: [UInt8]] {
    try store.environment.read { (transaction) throws(StorageError) in
      var rows: [[UInt8]: [UInt8]] = [:]
      let found: Table =
        switch table {
        case "blobs": try store.tables.blobs.table(transaction.view)
        case "values": try store.tables.values.table(transaction.view)
        default: store.environment.table(table)
        }
      var cursor = try transaction.view.cursor(found)
      while let entry = try cursor.next() {
        rows[entry.key.withUnsafeBytes { [UInt8]($0) }] = entry.value.withUnsafeBytes { [UInt8]($0) }
      }
      return rows
    }
  }
}
