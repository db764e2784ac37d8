import RepriseJournal
import RepriseLog
import RepriseSystem

extension Store {
  /// Returns when the uncommitted edits and screens of this process are in the journal's file, where they outlive it.
  ///
  /// They get there by themselves within 250 ms, and reach the disk within five seconds. Call this before something
  /// that ends the process, as when a program goes to the background or is told to terminate. It covers everything that
  /// was changed before the call, the screens of all scenes as well, and waits for no save and no other process. Called
  /// off the main actor, it waits up to 200 ms for the end of a turn that is under way there. Costs one write of what
  /// is not yet written, and runs off the caller's actor.
  ///
  /// - Parameter durable: Whether to wait for the disk as well: what is uncommitted then survives a power cut, as do
  ///   all completed saves, even with ``Durability/relaxed``. Takes as long as the disk does.
  /// - Throws: ``StoreError``: `closed`; or `journal` if something could not be written, or one edit is too large to
  ///   be. It stays in memory, and writing is retried.
  public nonisolated(nonsending) func flush(durable: Bool = false) async throws {
    try requireOpen()
    // A turn that begins while the disk is waited for is left whole.
    await journals.endFrameOfOpenTurns()
    try await flushed(durable: durable)
  }

  /// The same for what was appended before the last end of a frame; an open turn's entries since may be held back.
  /// Before the store is open, screens are all that there is.
  package nonisolated(nonsending) func flushed(durable: Bool) async throws(StoreError) {
    try scenes.requireReady()
    // The files and threads belong to the parent.
    if scenes.files.environment.isForked { throw .forked(path: path) }
    let store = self
    let journal = scenes.journal
    try await SystemThread.run { () throws(StoreError) in
      do throws(JournalError) {
        if durable { try journal.flush(cutsTurns: false) } else { try journal.write(cutsTurns: false) }
      } catch {
        throw StoreError(error, path: store.path)
      }
      // An edit may have been refused before.
      if let failure = store.drafts.failure { throw failure }
      if durable, store.durability == .relaxed { try StoreError.converting(store.scenes.files.environment.flush) }
    }
  }
}
