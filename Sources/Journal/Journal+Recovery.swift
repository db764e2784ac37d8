import RepriseLMDB
import RepriseObjectModel
import RepriseSystem

extension Journal {
  /// A snapshot of this process's journals, including everything appended so far; limited to one draft if it is named.
  /// Keep it no longer than needed: it retains the bytes of files.
  ///
  /// O(bytes of the own file). O(1) if nothing was written since the last read, or if the named draft is not in the
  /// file.
  package func recovery(of draft: JournalTopic? = nil) throws(JournalError) -> JournalRecovery {
    var refused: [JournalContent] = []
    var problems: [JournalProblem] = []
    let journals: [JournalContent] = try core.disk.withLock { disk throws(JournalError) in
      if disk.isAbandoned { throw .closed }
      (refused, problems) = (disk.refused, disk.problems)
      var journals: [JournalContent] = []
      for held in disk.held where draft.map({ $0.entries(held.index) != nil }) ?? true { journals.append(held.content) }
      if let draft, !core.queue.withLock({ $0.isRecorded(draft.name) }) { return journals }
      // If the write fails or waits for held journals, the entries are read from memory.
      _ = try? core.write(&disk, cutsTurns: false)
      if let known = try core.known(&disk, withTurn: true) { journals.append(known) }
      return journals
    }
    return JournalRecovery(journals, tables, core.generations, refused: refused, problems: problems)
  }

  /// Problems of the journals that this process has taken over, and of journals that it refuses to read. A repaired
  /// file is no longer a problem after the next look into the folder.
  package var problems: [JournalProblem] { core.disk.withLock { $0.problems } }

  /// The files that this process does not read, and whose drafts and scenes are unknown.
  package var unread: [JournalProblem] { core.disk.withLock { $0.unread } }

  /// The journals that this process does not read, because other users may write them.
  package var refused: [JournalContent] { core.disk.withLock { $0.refused } }
}

extension JournalCore {
  /// The frames of the own file and the frames waiting to be written. With `withTurn`, also the entries of an open
  /// turn. `nil` if there are none.
  func known(_ disk: inout JournalDisk, withTurn: Bool) throws(JournalError) -> JournalContent? {
    var waiting = disk.unwritten
    if withTurn {
      let first = max(disk.lastTime + 1, options.clock.wallTime())
      for (index, frame) in queue.withLock({ $0.frames }).enumerated() {
        let payload = frame.payload(time: first + UInt64(index))
        JournalFormat.frame(disk.own.nextNumber + UInt64(index), payload, seed: disk.own.seed, to: &waiting)
      }
    }
    if disk.own.file == nil, waiting.isEmpty { return nil }
    if let known = disk.own.known, waiting.isEmpty { return known }
    var bytes = JournalFormat.header(log: log, journal: disk.own.journal)
    if let file = disk.own.file, disk.own.end > bytes.count {
      do throws(SystemFailure) {
        bytes += try file.read(bytes.count..<disk.own.end)
      } catch {
        let path = folder.path(JournalFolder.name(disk.own.journal))
        throw .cannotRead(path: path, errno: error.errno)
      }
    }
    let known = JournalContent(JournalScan(bytes + waiting, log: log, journal: disk.own.journal, isOfLiving: true))
    if waiting.isEmpty { disk.own.known = known }
    return known
  }
}
