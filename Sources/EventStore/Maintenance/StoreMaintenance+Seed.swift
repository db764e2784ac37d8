import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension StoreMaintenance {
  /// Copies a store that shares its log, without drafts and screens, to a directory that does not exist.
  package nonisolated(nonsending) static func copySeed(of store: Store, to path: String) async throws {
    try store.requireOpen()
    try await SystemThread.run { () throws(StoreError) in
      let unfinished = path + ".unfinished"
      // Left by a process that was killed.
      remove(unfinished)
      do throws(StoreError) {
        _ = try backupNow(store, to: unfinished, copiesJournals: false, nil)
        try makeIndependent(unfinished, isSeed: true)
        if rename(unfinished, path) != 0 {
          throw StoreDirectory.failure(errno, path, "naming the directory of a seed")
        }
      } catch {
        remove(unfinished)
        throw error
      }
    }
  }

  private static func remove(_ unfinished: String) {
    for name in ["/data.mdb", "/data.mdb.unfinished", "/lock.mdb"] { unlink(unfinished + name) }
    rmdir(unfinished)
  }

  /// Makes a closed store one that has its log alone.
  package nonisolated(nonsending) static func leaveSharedLog(_ path: String) async throws {
    try await SystemThread.run { () throws(StoreError) in
      try StoreRegistry.whileClosed(path) { (_) throws(StoreError) in
        try changePlace(path) { (_) throws(StorageError) in nil }
      }
    }
  }

  /// Gives a copy of a store that shares its log another identity, at its next opening. Otherwise both stores take a
  /// packet for their own, and end the drafts that it names.
  static func makeIndependent(_ path: String, isSeed: Bool) throws(StoreError) {
    try changePlace(path) { (place) throws(StorageError) in
      SharedPlace(epoch: place.epoch, sequence: place.sequence, packet: place.packet, copy: .zero)
    } emptying: { tables in
      isSeed ? [tables.drafts, tables.archives, tables.journals] : []
    }
  }

  /// - Parameter change: Returns the new place. `nil` if the store leaves its shared log.
  private static func changePlace(
    _ path: String, _ change: (SharedPlace) throws(StorageError) -> SharedPlace?,
    emptying emptied: (StoreTables) -> [Table] = { _ in [] }
  ) throws(StoreError) {
    let (_, access) = try StoreDirectory.requireStore(path)
    let environment = try StoreOpener.environment(path, access, checksStructure: false)
    defer { environment.close() }
    let tables = StoreTables(environment)
    try StoreError.converting { () throws(StorageError) in
      try environment.write { (transaction) throws(StorageError) in
        for table in emptied(tables) { try transaction.removeAll(table) }
        let meta = MetaTable(tables.meta)
        guard let place = try meta.place(transaction.view) else { return }
        if let place = try change(place) { return try meta.put(place, transaction) }
        try meta.removePlace(transaction)
        try meta.putFormat(transaction)
      }
    }
  }
}
