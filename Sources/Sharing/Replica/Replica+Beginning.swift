import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Replica {
  /// Makes the store one that shares its log. The shared log begins behind its last transaction.
  ///
  /// The store gets a new revision of its schema, so processes that have the store open notice it and stop saving.
  ///
  /// Throws a ``SharedLogError`` or a `StorageError`.
  package func share(at place: LogPlace) throws {
    try store.environment.write { transaction in
      let meta = MetaTable(store.tables.meta)
      let view = transaction.view
      // Another process of this machine may have been first.
      if try meta.place(view) != nil { return }
      if let work = try store.unfinishedWork(view) { throw SharedLogError.unfinished(work: work) }
      try store.appendRevision(transaction)
      try meta.putFormat(isShared: true, transaction)
      try meta.put(
        SharedPlace(epoch: place.epoch, sequence: place.sequence, packet: place.packet, copy: .zero), transaction)
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
