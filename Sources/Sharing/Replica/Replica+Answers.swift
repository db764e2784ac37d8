import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The outcome of an append, once the store has followed the answer of the shared log.
package enum AppendOutcome: Sendable {
  /// The shared log and the store have the packet. `nil` if another process has applied it to the store.
  case applied(LastCommit?)
  /// Other packets were first, and the store has the first of them now.
  case behind(hasMore: Bool)
  /// The packet may be in the shared log. Append the same packet again.
  case unknown
}

extension Replica {
  /// Follows the answer to an append: applies the packets that it has. Throws a ``SharedLogError`` if the store cannot
  /// follow this shared log any more, or a `StoreError`.
  package func take(
    _ answer: AppendAnswer, to packet: LogPacket,
    advancing advance: (Position, StoredSchema, borrowing WriteTransaction) throws(StorageError) -> Void = { _, _, _ in
    }
  ) throws -> AppendOutcome {
    switch answer {
    case .appended(let place), .duplicate(let place):
      return .applied(try follow([(place, packet)], advancing: advance).last)
    case .behind(let page):
      _ = try follow(page.packets, advancing: advance)
      return .behind(hasMore: page.hasMore)
    case .beforeFirst: throw SharedLogError.released
    case .diverged: throw SharedLogError.rolledBack
    case .unknown: return .unknown
    }
  }

  /// Like ``apply(_:advancing:)``. Throws a ``SharedLogError`` if a packet cannot be applied, or a `StoreError`.
  package func follow(
    _ packets: [(place: LogPlace, packet: LogPacket)],
    advancing advance: (Position, StoredSchema, borrowing WriteTransaction) throws(StorageError) -> Void = { _, _, _ in
    }
  ) throws -> Applied {
    do throws(PacketError) {
      return try apply(packets, advancing: advance)
    } catch {
      if case .store(let error) = error { throw error }
      throw SharedLogError.packet(error)
    }
  }

  /// Throws unless a shared log with this standing has the packets after the store's place.
  ///
  /// - Parameter place: The place before the standing was read. Other processes may have applied packets since.
  package func require(_ standing: LogStanding, _ place: LogPlace) throws {
    if place.epoch != standing.last.epoch || place.sequence > standing.last.sequence { throw SharedLogError.rolledBack }
    if place.sequence == standing.last.sequence, place != standing.last { throw SharedLogError.rolledBack }
    if try self.place().sequence < standing.first.sequence { throw SharedLogError.released }
  }
}
