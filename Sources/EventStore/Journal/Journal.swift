import RepriseLMDB
import RepriseObjectModel

/// The file in which this process keeps uncommitted edits and screens, so that the next one finds them.
///
/// What is appended is in the file 250 ms later at the latest, and survives a power cut after the flush interval. No
/// file is made before the first entry. See JournalFormat for the bytes.
package final class Journal: Sendable {
  let core: JournalCore
  package let tables: StoreTables
  /// What was wrong with the journals that were there. Each was left alone, or read as far as it goes.
  package let problems: [JournalProblem]
  /// Bytes of frames that their process was writing when it ended.
  package let tornBytes: Int

  init(_ core: JournalCore, _ tables: StoreTables, problems: [JournalProblem], tornBytes: Int) {
    self.core = core
    self.tables = tables
    self.problems = problems
    self.tornBytes = tornBytes
  }

  deinit {
    try? close()
    core.abandon()
  }

  // MARK: Recording

  /// Records entries, in this order, in one frame. From any thread; encodes them, and waits for nothing.
  ///
  /// What cannot be recorded goes to the options' `onError`.
  package func append(_ entries: [JournalEntry]) { core.append(entries) }

  /// From here to ``closeTurn()`` what is appended stays together, for up to 200 ms. Turns may overlap.
  package func openTurn() { core.openTurn() }
  package func closeTurn() { core.closeTurn() }
  package var isTurnOpen: Bool { core.queue.withLock { $0.openTurns > 0 } }

  /// The schema grew: numbers that were given stay what they are.
  package func use(_ map: SchemaMap) { core.queue.withLock { $0.map = map } }

  /// A generation for edits that begin now, above all that any journal or save of this store has seen here.
  package func nextGeneration() -> UInt64 { core.generations.next() }

  /// What is appended from now on stands in another frame than what was appended before, whatever turns are open.
  package func endFrame() { core.endFrame() }

  /// Returns when everything appended so far survives the process; unless `cutsTurns`, what was appended since the last
  /// ``endFrame()`` by a turn that is still open may not.
  package func write(cutsTurns: Bool = true) throws(JournalError) { try core.write(cutsTurns: cutsTurns) }

  /// Whether everything appended so far survives the process.
  package var isWritten: Bool {
    core.disk.withLock { disk in disk.unwritten.isEmpty && core.queue.withLock { $0.isEmpty } }
  }

  /// Returns when everything appended so far survives a power cut; `cutsTurns` as in ``write(cutsTurns:)``.
  package func flush(cutsTurns: Bool = true) throws(JournalError) { try core.flush(cutsTurns: cutsTurns) }

  /// The last failure, until a write succeeds again; or what was not recorded, while it matters.
  package var lastError: JournalError? {
    core.disk.withLock { $0.lastError } ?? core.queue.withLock { $0.refusals.first }
  }

  // MARK: Ending

  /// Writes and flushes what is left, and gives up all locks. If it throws, nothing was closed and nothing is lost yet:
  /// try again, or ``abandon()``. Checkpoint before, or the next process finds the files.
  package func close() throws(JournalError) {
    let wasClosed = core.queue.withLock { queue in
      defer { queue.isClosed = true }
      return queue.isClosed
    }
    if wasClosed { return }
    do throws(JournalError) {
      try core.flush()
    } catch {
      core.queue.withLock { $0.isClosed = false }
      throw error
    }
    core.abandon()
  }

  /// Ends as a kill would: what was not written is lost.
  package func abandon() { core.abandon() }
}
