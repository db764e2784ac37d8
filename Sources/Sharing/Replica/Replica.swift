import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// A store that shares its log. It makes packets of its transactions, and applies the packets of all machines. Does not
/// know how packets travel.
package struct Replica: Sendable {
  package let store: SharedStore

  package init(_ store: SharedStore) { self.store = store }

  private var meta: MetaTable { MetaTable(store.tables.meta) }

  /// The last packet that the store has. `nil` if the store does not share its log.
  package func sharedPlace() throws(StorageError) -> SharedPlace? {
    try store.environment.read { (transaction) throws(StorageError) in try meta.place(transaction.view) }
  }

  package func place() throws(StorageError) -> LogPlace {
    guard let place = try sharedPlace() else { throw .missingPlace(store.path) }
    return LogPlace(place)
  }

  // MARK: Making packets

  /// A packet of the transactions from the given one to the end of the log, and the place after which to append it. See
  /// ``SharedAppending/packet(from:derivations:consuming:in:_:)``.
  package func packet(
    from first: Position, derivations: [UInt32: UInt32], consuming drafts: [FrozenDraft], in journals: [UniqueID],
    _ view: View
  ) throws(StorageError) -> (packet: LogPacket, after: LogPlace) {
    guard let place = try meta.place(view) else { throw .missingPlace(store.path) }
    let log = LogTable(store.tables.log)
    var writer = PacketWriter(
      after: place.packet, logID: store.logID, replica: place.copy, first: first, try meta.schema(view),
      derivations: derivations)
    for position in stride(from: first, through: try log.lastPosition(view), by: 1) {
      try log.withFrame(position, view) { (frame) throws(MalformedBytes) in try writer.add(frame) }
    }
    let note = PacketNote(drafts.map { ($0.draft.name, $0.generation) }, journals).encoded()
    return (try writer.finish(store.tables, view, note: note), LogPlace(place))
  }

  // MARK: Applying packets

  /// The result of ``apply(_:advancing:)``.
  package struct Applied: Sendable {
    /// The number of packets that the store did not have yet.
    package var count = 0
    /// The state after the last commit. `nil` if there was none.
    package var last: LastCommit?
  }

  /// The most transactions in a commit that applies packets, and its longest time in nanoseconds. The writers of this
  /// machine wait for such a commit. A packet is always applied whole.
  private static let batch = (transactions: 256, nanoseconds: UInt64(8_000_000))

  /// Applies packets that follow each other, in several commits. Skips a packet that another process of this machine
  /// has applied already.
  ///
  /// If a packet cannot be applied, those before it are.
  ///
  /// - Parameter advance: Called in each commit with the new head and schema.
  package func apply(
    _ packets: [(place: LogPlace, packet: LogPacket)],
    advancing advance: (Position, StoredSchema, borrowing WriteTransaction) throws(StorageError) -> Void = { _, _, _ in
    }
  ) throws(PacketError) -> Applied {
    var applied = Applied()
    var rest = packets[...]
    while !rest.isEmpty {
      let batch = try commit(rest, advance)
      if let failure = batch.failure { throw failure }
      applied.count += batch.count
      applied.last = batch.last ?? applied.last
      rest = rest[batch.end...]
    }
    return applied
  }

  private struct Batch {
    var count = 0
    var last: LastCommit?
    /// The first packet that is not in the store yet.
    var end: Int
    /// The reason why that packet cannot be applied.
    var failure: PacketError?
  }

  /// Applies the first packets in one commit. If a packet fails, the commit ends before it.
  private func commit(
    _ packets: ArraySlice<(place: LogPlace, packet: LogPacket)>,
    _ advance: (Position, StoredSchema, borrowing WriteTransaction) throws(StorageError) -> Void
  ) throws(PacketError) -> Batch {
    var limit = packets.endIndex
    var failure: PacketError?
    while true {
      var failed = packets.startIndex
      do throws(PacketError) {
        return try store.environment.write { (transaction) throws(PacketError) in
          guard var place = try PacketError.converting({ () throws(StorageError) in try meta.place(transaction.view) })
          else { throw PacketError(.missingPlace(store.path)) }
          var next = packets.startIndex
          while next < packets.endIndex, packets[next].place.isReached(by: place) { next += 1 }
          var batch = Batch(end: next)
          batch.failure = failure
          if next >= limit { return batch }
          var applier = try PacketError.converting { () throws(StorageError) in
            try PacketApplier(
              store.tables, logID: store.logID, after: place.packet, copy: place.copy, keyframes: store.keyframes,
              transaction.view)
          }
          let first = applier.head.position
          let deadline = WakeUp.now() + Self.batch.nanoseconds
          repeat {
            failed = batch.end
            try applier.apply(packets[batch.end].packet, transaction)
            (place.epoch, place.sequence) = (packets[batch.end].place.epoch, packets[batch.end].place.sequence)
            place.packet = packets[batch.end].packet.id
            batch.count += 1
            batch.end += 1
          } while batch.end < limit && WakeUp.now() < deadline
            && first.distance(to: applier.head.position) < Self.batch.transactions
          try PacketError.converting { () throws(StorageError) in
            try applier.finish(transaction)
            try meta.put(place, transaction)
            try advance(applier.head.position, applier.schema, transaction)
          }
          batch.last = LastCommit(transactionID: transaction.id, head: applier.head)
          return batch
        }
      } catch {
        if case .store = error { throw error }
        guard failed > packets.startIndex, failed < limit else { throw error }
        (limit, failure) = (failed, error)
      }
    }
  }
}

extension LogPlace {
  package init(_ place: SharedPlace) {
    self.init(epoch: place.epoch, sequence: place.sequence, packet: place.packet)
  }

  /// Whether a store at `place` has the packet.
  fileprivate func isReached(by place: SharedPlace) -> Bool { epoch == place.epoch && sequence <= place.sequence }
}

extension StorageError {
  /// The store does not share its log any more.
  fileprivate static func missingPlace(_ path: String) -> StorageError {
    .foreignContents(reason: "the store has no place in a shared log", Site(.decode, path))
  }
}
