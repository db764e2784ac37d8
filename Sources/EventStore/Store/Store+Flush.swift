import RepriseJournal
import RepriseLog
import RepriseSystem

extension Store {
  /// Returns when the uncommitted edits and screens of this process are in the journal's file, where they outlive the
  /// process.
  ///
  /// The library writes them by itself within 250 ms, and flushes them to the disk within five seconds. Call this
  /// before an event that may end the process, for example when the program goes to the background or receives a
  /// request to terminate.
  ///
  /// The call covers every change made before it, including the screens of all scenes. It does not wait for saves or
  /// other processes. If you call it off the main actor while the main actor is busy, it waits up to 200 ms for the end
  /// of that turn. It writes the unwritten part once, off the caller's actor.
  ///
  /// - Parameter durable: Whether to wait for the disk, too. Then the uncommitted edits and screens survive a power
  ///   cut, as completed saves do. Takes as long as the disk does.
  /// - Throws: ``StoreError``: `closed` or `forked`. `opening` before the store is open and scenes can be restored.
  ///   `journal` if the journal could not be written, or one edit is too large for it. The edits stay in memory, and
  ///   the library retries the write.
  public nonisolated(nonsending) func flush(durable: Bool = false) async throws {
    try requireOpen()
    // Called before the wait for the disk, so that a turn that begins during the wait is not cut.
    await journals.endFrameOfOpenTurns()
    try await flushed(durable: durable)
  }

  /// Writes the entries that were appended before the last end of a frame. Later entries of an open turn may be held
  /// back. Before the store is open, there are only screens to write.
  package nonisolated(nonsending) func flushed(durable: Bool) async throws(StoreError) {
    try scenes.requireReady()
    // The files and threads belong to the parent.
    if scenes.files.environment.isForked { throw .forked(path: path) }
    // A store that is only read has no journal.
    if scenes.files.environment.options.readOnly { return }
    let store = self
    let journal = scenes.journal
    try await SystemThread.run { () throws(StoreError) in
      do throws(JournalError) {
        if durable { try journal.flush(cutsTurns: false) } else { try journal.write(cutsTurns: false) }
      } catch {
        throw StoreError(error, path: store.path)
      }
      // The journal may have refused an edit earlier.
      if let failure = store.drafts.failure { throw failure }
    }
  }
}
