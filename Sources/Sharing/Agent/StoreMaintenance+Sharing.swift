import RepriseEventStore
import RepriseLog

extension StoreMaintenance {
  /// Makes a seed: a copy of a store that shares its log, for the beginning of another server.
  ///
  /// A seed is a store. Copy its directory to the other machine, and open it there with
  /// ``Store/open(_:for:sharing:access:isStrict:checksRenames:migrations:progress:)-(_,Schema,_,_,_,_,_,_)``. The new
  /// server then follows the packets after the seed. A seed has no drafts and no screens, because these belong to the
  /// machine where the user works.
  ///
  /// Saves continue meanwhile. It costs as much as a backup, O(size of the file). If the process is killed, a directory
  /// remains that ends with `.unfinished`. The next call with the same path removes it.
  ///
  /// - Parameter path: A directory that does not exist. Its parent directory must exist.
  /// - Throws: ``StoreError``. `sharing` if the store does not share its log.
  public nonisolated(nonsending) static func makeSeed(of store: Store, at path: String) async throws {
    guard store.logSharing != nil else {
      throw StoreError.sharing(path: store.path, reason: SharedLogError.notShared)
    }
    try await copySeed(of: store, to: path)
  }

  /// Makes a closed store one that has its log alone. It keeps all objects and transactions.
  ///
  /// This is the way back after a program has shared a store by mistake. It is also the way on if the shared log has
  /// lost packets, for example because somebody restored a backup of it:
  ///
  /// 1. Choose the store with the greatest position. It has all saves that a server knew to be in the shared log.
  /// 2. End the sharing of this store.
  /// 3. Remove the packets of the shared log from its system, and raise its epoch.
  /// 4. Open the store with the shared log again, and make seeds of it for the other servers.
  ///
  /// Does nothing if the store has its log alone. O(1).
  ///
  /// - Throws: ``StoreError``. `inUse` if the store is open in this process.
  public nonisolated(nonsending) static func endSharing(_ path: String) async throws {
    try await leaveSharedLog(path)
  }
}
