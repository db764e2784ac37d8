import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Replica {
  /// The first packet of the shared log, and its place.
  package typealias FirstPacket = (place: LogPlace, packet: LogPacket)

  /// Another packet is the first one, so the LMDB transaction is aborted.
  private struct OtherFirst: StorageErrorConvertible {
    var packet: FirstPacket?
    var error: StoreError?

    init(_ packet: FirstPacket) { self.packet = packet }
    init(_ error: StoreError) { self.error = error }
    init(_ error: StorageError) { self.error = StoreError(error) }
  }

  /// Makes the store one that shares its log.
  ///
  /// A shared log begins with a packet whose transaction gives the schema of the store a new revision. So processes
  /// that have the store open notice that it shares its log, and stop saving. No process may save between the append
  /// and the mark, because the packet would no longer follow the store. So the writers of the machine wait for the
  /// shared log, this one time.
  ///
  /// - Parameter propose: Appends the packet if the shared log is empty. Returns its first packet in any case.
  package func begin(proposing propose: (LogPacket) throws(StoreError) -> FirstPacket) throws(StoreError) {
    do throws(OtherFirst) {
      try store.environment.write { (transaction) throws(OtherFirst) in
        let meta = MetaTable(store.tables.meta)
        // Another process of this machine may have been first.
        if try OtherFirst.converting({ () throws(StorageError) in try meta.place(transaction.view) }) != nil { return }
        do throws(StoreError) { try requireFinishedWork(transaction.view) } catch { throw OtherFirst(error) }
        let packet = try OtherFirst.converting { () throws(StorageError) in try firstPacket(transaction) }
        let first: FirstPacket
        do throws(StoreError) { first = try propose(packet) } catch { throw OtherFirst(error) }
        guard first.packet.id == packet.id else { throw OtherFirst(first) }
        try OtherFirst.converting { () throws(StorageError) in try mark(first, transaction) }
      }
    } catch {
      if let error = error.error { throw error }
      if let packet = error.packet { try begin(with: packet) }
    }
  }

  /// Appends the first transaction of the shared log to the log of the store.
  private func firstPacket(_ transaction: borrowing WriteTransaction) throws(StorageError) -> LogPacket {
    let meta = MetaTable(store.tables.meta)
    let position = try LogTable(store.tables.log).lastPosition(transaction.view) + 1
    try store.appendRevision(transaction)
    try meta.put(SharedPlace(epoch: 0, sequence: 0, packet: nil, copy: .zero), transaction)
    return try packet(from: position, derivations: [:], consuming: [], in: [], transaction.view).packet
  }

  private func mark(_ first: FirstPacket, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let meta = MetaTable(store.tables.meta)
    try meta.putFormat(isShared: true, transaction)
    try meta.put(
      SharedPlace(epoch: first.place.epoch, sequence: first.place.sequence, packet: first.packet.id, copy: .zero),
      transaction)
  }

  /// Begins with the packet of another server, whose store had the same transactions, or with one of an opening that
  /// was killed.
  package func begin(with first: FirstPacket) throws(StoreError) {
    try store.environment.write { (transaction) throws(StoreError) in
      let place = try StoreError.converting { () throws(StorageError) in
        try MetaTable(store.tables.meta).place(transaction.view)
      }
      if place != nil { return }
      try requireFinishedWork(transaction.view)
      do throws(PacketError) {
        var applier = try PacketError.converting { () throws(StorageError) in
          try PacketApplier(
            store.tables, logID: store.logID, after: nil, keyframes: store.keyframes, transaction.view)
        }
        try applier.apply(first.packet, transaction)
        try PacketError.converting { () throws(StorageError) in
          try applier.finish(transaction)
          try mark(first, transaction)
        }
      } catch {
        switch error {
        case .store(let error): throw error
        // The log began with a store that has other transactions.
        case .otherPosition, .otherHash, .cannotApply:
          throw .sharing(path: store.path, reason: SharedLogError.exists)
        default: throw .sharing(path: store.path, reason: SharedLogError.packet(error))
        }
      }
    }
  }

  private func requireFinishedWork(_ view: borrowing View) throws(StoreError) {
    if let work = try StoreError.converting({ () throws(StorageError) in try store.unfinishedWork(view) }) {
      throw .sharing(path: store.path, reason: SharedLogError.unfinished(work: work))
    }
  }

  /// Gives the copy an ID if it has none, as in a seed.
  package func nameCopy() throws(StorageError) {
    if try sharedPlace()?.copy != .zero { return }
    try store.environment.write { (transaction) throws(StorageError) in
      let meta = MetaTable(store.tables.meta)
      guard var place = try meta.place(transaction.view), place.copy == .zero else { return }
      place.copy = UniqueID()
      try meta.put(place, transaction)
    }
  }
}
