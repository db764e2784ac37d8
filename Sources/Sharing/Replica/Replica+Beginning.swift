import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Replica {
  /// The first packet of a shared log. Its transaction gives the schema of the store a new revision. So
  /// processes that have the store open notice that it shares its log, and stop saving.
  package func firstPacket() throws(StoreError) -> LogPacket {
    let packet = try store.environment.write { (transaction) throws(StoreError) in
      try requireFinishedWork(transaction.view)
      return try StoreError.converting { () throws(StorageError) in
        let meta = MetaTable(store.tables.meta)
        let position = try LogTable(store.tables.log).lastPosition(transaction.view) + 1
        try store.appendRevision(transaction)
        try meta.put(SharedPlace(epoch: 0, sequence: 0, packet: nil, copy: .zero), transaction)
        return try self.packet(from: position, derivations: [:], consuming: [], in: [], transaction.view).packet
      }
    } committingIf: { _ in
      false
    }
    return packet
  }

  /// Makes the store one that shares its log, and applies the first packet of the shared log. The packet may come from
  /// a copy of the store with the same transactions.
  package func begin(with packet: LogPacket, at place: LogPlace) throws(StoreError) {
    try store.environment.write { (transaction) throws(StoreError) in
      let meta = MetaTable(store.tables.meta)
      // Another process of this machine may have been first.
      if try StoreError.converting({ () throws(StorageError) in try meta.place(transaction.view) }) != nil { return }
      try requireFinishedWork(transaction.view)
      do throws(PacketError) {
        var applier = try PacketError.converting { () throws(StorageError) in
          try PacketApplier(
            store.tables, logID: store.logID, after: nil, keyframes: store.keyframes, transaction.view)
        }
        try applier.apply(packet, transaction)
        try PacketError.converting { () throws(StorageError) in
          try applier.finish(transaction)
          try meta.putFormat(isShared: true, transaction)
          try meta.put(
            SharedPlace(epoch: place.epoch, sequence: place.sequence, packet: packet.id, copy: .zero), transaction)
        }
      } catch {
        if case .store(let error) = error { throw error }
        // The log began with a store that has other transactions.
        throw .sharing(path: store.path, reason: SharedLogError.exists)
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
