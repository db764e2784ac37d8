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
  /// Never copy the directory of a store in another way. Both copies would end the drafts that either one saves.
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
  /// 1. Stop all servers.
  /// 2. Choose the store with the greatest position. It has all saves that a server knew to be in the shared log.
  /// 3. End the sharing of this store.
  /// 4. Raise the epoch of the shared log in its system, and remove its packets.
  /// 5. Open the store with the shared log again, and make seeds of it for the other servers.
  ///
  /// Without the fourth step, stores with another history could take each other's packets for the next ones, and stop.
  ///
  /// Does nothing if the store has its log alone. O(1).
  ///
  /// - Throws: ``StoreError``. `inUse` if the store is open in this process. Another process that has it open can no
  ///   longer save.
  public nonisolated(nonsending) static func endSharing(_ path: String) async throws {
    try await leaveSharedLog(path)
  }

  /// Replaces the content of a closed store by a seed, and keeps the drafts and screens of the machine.
  ///
  /// Do this if a store has stopped because its shared log was set back, or no longer has its next packets
  /// (``SharedLog/Status-swift.struct/failure``). Then open the store as before. It follows the packets after the seed,
  /// and scenes and drafts are restored.
  ///
  /// ```swift
  /// try await store.close()
  /// try await StoreMaintenance.reseed("/var/lib/music", from: "/seeds/monday")
  /// ```
  ///
  /// The old file stays in the directory of the store, with the name `data.mdb.replaced-1`, or a greater number. It may
  /// have transactions that the shared log has lost. To read it, move it to an empty directory as `data.mdb`, call
  /// ``endSharing(_:)`` with this directory, and open it. The seed does not change.
  ///
  /// If the shared log lost saves, drafts that are based on them can be resumed. `draftProblems` reports them. If the
  /// process was killed after an append, and the seed has the save, the draft of this save comes back.
  ///
  /// After a kill or a power cut, the store is as before or as after the call. A file `data.mdb.unfinished` may be
  /// left, which the next call removes. The call checks both files and copies the seed, O(size of both files). It needs
  /// space for the new file. Other processes that open the store meanwhile wait.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that no process has open.
  ///   - seed: The directory that ``makeSeed(of:at:)`` made. It must not be open.
  /// - Throws: ``StoreError``, and the store is unchanged. `notAStore` if the seed does not share its log, or is of
  ///   another log. `inUse` if the store is open in this process, `inUseElsewhere` if it is open in another one.
  ///   `damaged` if either file is damaged. For a damaged store, call ``salvage(_:to:)`` first, and reseed the result.
  ///   `diskFull` and other failures of the system.
  public nonisolated(nonsending) static func reseed(_ path: String, from seed: String) async throws {
    try await takeSeed(seed, at: path)
  }
}
