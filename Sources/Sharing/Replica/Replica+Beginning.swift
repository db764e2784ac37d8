import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Replica {
  /// Makes the store one that shares its log. The shared log begins behind its last transaction.
  ///
  /// The store gets a new revision of its schema, so processes that have the store open notice it and stop saving.
  ///
  /// - Parameter standing: The standing of the shared log, which must have no packets.
  package func share(_ standing: LogStanding) throws(StoreError) {
    try store.environment.write { (transaction) throws(StoreError) in
      let meta = MetaTable(store.tables.meta)
      let view = transaction.view
      // Another process of this machine may have been first.
      if try StoreError.converting({ () throws(StorageError) in try meta.place(view) }) != nil { return }
      if standing.last.packet != nil { throw .sharing(path: store.path, reason: SharedLogError.exists) }
      if let work = try StoreError.converting({ () throws(StorageError) in try store.unfinishedWork(view) }) {
        throw .sharing(path: store.path, reason: SharedLogError.unfinished(work: work))
      }
      try StoreError.converting { () throws(StorageError) in
        try store.appendRevision(transaction)
        try meta.putFormat(isShared: true, transaction)
        let place = standing.last
        try meta.put(
          SharedPlace(epoch: place.epoch, sequence: place.sequence, packet: place.packet, copy: .zero), transaction)
      }
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
