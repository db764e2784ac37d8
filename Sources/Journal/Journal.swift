import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The file for this process's uncommitted edits and screens. The next process recovers them from it.
///
/// Appended entries reach the file within 250 ms, and survive a power cut after the flush interval. The file is created
/// with the first entry. See JournalFormat for the bytes.
package final class Journal: Sendable {
  package let core: JournalCore
  package let tables: StoreTables
  /// Bytes of incomplete frames found at opening, which processes were writing when they ended.
  package let tornBytes: Int

  init(_ core: JournalCore, _ tables: StoreTables, tornBytes: Int) {
    self.core = core
    self.tables = tables
    self.tornBytes = tornBytes
  }

  deinit {
    try? close()
    core.abandon()
  }

  // MARK: Recording

  /// Records entries in this order in one frame. Callable from any thread; encodes them, and never waits for the disk.
  ///
  /// Entries that cannot be recorded are reported to the options' `onError`.
  package func append(_ entries: [JournalEntry]) { core.append(entries) }

  /// Calls `body`, on the thread that appends, when something is next appended.
  package func whenNextAppended(_ body: @escaping @Sendable () -> Void) {
    core.queue.withLock { $0.onNextAppend.append(body) }
  }

  /// The note of a scene that this process has claimed.
  package func note(of scene: JournalTopic) -> SceneNote { SceneNote(launchOf: scene, in: core.launches) }

  /// The preview of a scene that this process has claimed.
  package func preview(of scene: JournalTopic) -> SceneNote {
    SceneNote(previewOf: scene, in: core.folder)
  }

  /// The path of a pipe. Through it, another process asks the owner of a scene to release the scene.
  package func wakeUpPipe(of scene: JournalTopic) -> String { core.folder.path(ofScene: scene, suffix: ".bell") }

  /// Entries appended until ``closeTurn(in:)`` are written together, if it comes within 200 ms. Turns may overlap.
  package func openTurn(in isolation: (any Actor)? = nil) { core.openTurn(isolation) }
  package func closeTurn(in isolation: (any Actor)? = nil) { core.closeTurn(isolation) }
  package var isTurnOpen: Bool { core.queue.withLock { $0.hasTurn(besides: nil) } }

  /// Whether it only reads the journals of other processes.
  package var isOnlyRead: Bool { core.folder.isOnlyRead }

  /// Uses a schema that has grown. Existing numbers must not change.
  package func use(_ map: SchemaMap) { core.queue.withLock { $0.map = map } }

  /// A generation for new edits, higher than all that this process has seen in the store's journals and saves.
  package func nextGeneration() -> UInt64 { core.generations.next() }

  /// Starts a new frame for later entries, even within an open turn.
  package func endFrame() { core.endFrame() }

  /// Like ``endFrame()``, unless a turn of another isolation is open. Returns whether the frame has ended.
  package func endFrame(besides isolation: (any Actor)?) -> Bool { core.endFrame(besides: isolation) }

  /// Starts the thread of a checkpoint that is due, if it has none. Costs a load otherwise.
  package func startOverdueThread() { core.startOverdueThread() }

  /// Returns when everything appended so far survives the process. Without `cutsTurns`, an open turn's entries since
  /// the last ``endFrame()`` may still be held back.
  package func write(cutsTurns: Bool = true) throws(JournalError) { try core.write(cutsTurns: cutsTurns) }

  /// Whether everything appended so far survives the process.
  package var isWritten: Bool {
    core.disk.withLock { disk in disk.unwritten.isEmpty && core.queue.withLock { $0.isEmpty } }
  }

  /// Returns when everything appended so far survives a power cut; `cutsTurns` as in ``write(cutsTurns:)``.
  package func flush(cutsTurns: Bool = true) throws(JournalError) { try core.flush(cutsTurns: cutsTurns) }

  /// The last failure, until a write succeeds again. Otherwise an entry's refusal, until a later entry makes it
  /// irrelevant.
  package var lastError: JournalError? {
    core.disk.withLock { $0.lastError } ?? core.queue.withLock { $0.refusals.first }
  }

  /// Calls `body`, on any thread, when a write fails or an entry is refused. It is called once for one failure, until a
  /// write succeeds. Replaces an earlier `body`.
  package func whenItFails(_ body: @escaping @Sendable (JournalError) -> Void) {
    core.queue.withLock { $0.onFailure = body }
  }

  // MARK: Ending

  /// Writes and flushes the remaining entries, and releases all locks. If it throws, nothing was closed and nothing is
  /// lost: try again, or ``abandon()``. Without a checkpoint before it, the files stay for the next process.
  package func close() throws(JournalError) {
    let wasClosed = core.queue.withLock { queue in
      defer { queue.isClosed = true }
      return queue.isClosed
    }
    if wasClosed {
      // It has no entries, but may have opened the file of the claims.
      if core.folder.isOnlyRead { core.abandon() }
      return
    }
    do throws(JournalError) {
      try core.flush()
    } catch {
      core.queue.withLock { $0.isClosed = false }
      throw error
    }
    core.abandon()
  }

  /// Ends as a kill would: unwritten entries are lost.
  package func abandon() { core.abandon() }
}
