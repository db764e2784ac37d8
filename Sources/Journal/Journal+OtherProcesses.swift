import RepriseLMDB
import RepriseObjectModel
import RepriseSystem

extension Journal {
  // MARK: Claims

  /// Claims a draft or a scene for a context or a restoration of this process. False if it is claimed, here or in
  /// another process. Never waits.
  package func claim(_ topic: JournalTopic) throws(JournalError) -> Bool {
    do throws(SystemFailure) {
      return try core.claims.take(topic)
    } catch {
      throw .cannotClaim(path: core.folder.path, errno: error.errno)
    }
  }

  /// Releases this process's claim. Another process can claim the topic as soon as everything appended is written.
  package func release(_ topic: JournalTopic) {
    core.claims.leave(topic)
    core.letGoSoon()
  }

  /// Whether this process, or another, has claimed the topic, and the ID of the process if it is known.
  package func isClaimed(_ topic: JournalTopic) -> (here: Bool, elsewhere: Bool, process: Int32?) {
    core.claims.isTaken(topic)
  }

  /// Whether this process has claimed a draft or a scene.
  package var hasClaims: Bool { core.claims.hasAny }

  /// The claims of all processes, with two numbers for each. The second is the ID of the process, or 0 if it is
  /// unknown. Costs a few system calls for each claim.
  package var claims: [Int] { core.claims.all() }

  // MARK: Entries of other processes

  /// Numbers that are not the same after a process has written, made or removed a file beside its journal, or the
  /// journal. They have a meaning only in this process. Reads no file.
  package func change() throws(JournalError) -> [Int] { try core.folder.change() }

  /// The journals of other living processes, as far as they are written. With a topic, those with entries about it.
  /// They still hold drafts and scenes that those processes released, and include journals of dead processes that
  /// another process has taken over and is checkpointing.
  ///
  /// Takes over the journals of processes that died since this journal was opened. Lists the folder, unless it is
  /// unchanged since it held only this process's journals, and reads every journal of other processes. A journal for
  /// reading takes over none, and also returns the journals of dead processes.
  package func othersJournals(about topic: JournalTopic? = nil) throws(JournalError) -> [JournalContent] {
    var contents: [JournalContent] = []
    var adoption = try core.look()
    // A process makes a journal when all entries of its former one are written. So the entries that are found follow
    // one another without a gap.
    for journal in adoption.live {
      let bytes: [UInt8]
      do throws(SystemFailure) {
        bytes = try core.folder.readLive(journal)
      } catch {
        if error.isPassing {
          throw .cannotRead(path: core.folder.path(JournalFolder.name(journal)), errno: error.errno)
        }
        // The journal was checkpointed in the meantime, or it is damaged in a way that its own process reports.
        continue
      }
      let content =
        core.folder.isOnlyRead
        ? adoption.content(of: JournalBytes(bytes), journal, isOfLiving: core.hasClaim)?.content
        : JournalContent(JournalScan(bytes, log: core.log, journal: journal, isOfLiving: true))
      guard let content else { continue }
      if let topic, topic.entries(content.index) == nil { continue }
      contents.append(content)
    }
    if core.folder.isOnlyRead { core.disk.withLock { adoption.enter(&$0) } }
    core.note(contents)
    return contents
  }

  /// A checkpoint of the entries that other living processes wrote about a topic that this process has claimed. With
  /// it, this process's entries come after theirs. `nil` if the tables already have them all.
  package func takeover(of topic: JournalTopic, _ view: View) throws(JournalError) -> TopicCheckpoint? {
    let others = try othersJournals(about: topic)
    if others.isEmpty { return nil }
    let recovery = JournalRecovery(try mine(), tables, core.generations).adding(others)
    do throws(StorageError) {
      guard try recovery.hasUncheckpointed(of: topic, in: Set(others.map(\.journal)), view) else { return nil }
    } catch {
      throw .tables(error.reason)
    }
    try core.flush(others)
    return TopicCheckpoint(topic, recovery, core.folder)
  }

  /// A checkpoint of a draft that this process has claimed and taken over, with the conversions of migrations.
  package func convert(_ draft: JournalTopic, _ conversion: DraftConversion) throws(JournalError) -> TopicCheckpoint {
    try core.flush { disk in
      disk.heldIsUnflushed = true
      return true
    }
    return TopicCheckpoint(
      draft, JournalRecovery(try mine(), tables, core.generations), core.folder, conversion)
  }

  /// The journals of this process, as far as they are written.
  private func mine() throws(JournalError) -> [JournalContent] {
    try core.disk.withLock { disk throws(JournalError) in
      if disk.isAbandoned { throw .closed }
      let held = disk.held.map(\.content)
      guard disk.own.file != nil, let own = try core.known(&disk, withTurn: false) else { return held }
      return held + [own]
    }
  }
}

extension JournalCore {
  /// Whether a process has claimed a draft or a scene with entries in a journal. Then the process of the journal lives,
  /// or another one has the entries.
  fileprivate func hasClaim(_ content: JournalContent) -> Bool {
    let topics =
      content.index.drafts.names.map(JournalTopic.draft) + content.index.scenes.names.map(JournalTopic.scene)
    return topics.contains { claims.isTaken($0).elsewhere }
  }

  /// Looks for journals that this process does not hold, and takes over the journals of dead processes.
  func look() throws(JournalError) -> Journal.Adoption {
    let adoption = try disk.withLock { disk throws(JournalError) in
      if disk.isAbandoned { throw .closed }
      var adoption = Journal.Adoption(folder: folder, log: log, wrap: options.file)
      if let stamp = disk.quietStamp, stamp == folder.stamp { return adoption }
      // A look that fails must not store a stamp, because the next look would then skip the folder.
      var stamp: JournalFolder.Stamp?
      disk.quietStamp = nil
      try folder.look(knowing: disk.held.map(\.journal) + [disk.own.journal], &stamp) { adoption.take($0) }
      if adoption.isAlone { disk.quietStamp = stamp }
      if !folder.isOnlyRead { adoption.enter(&disk) }
      return adoption
    }
    note(adoption.taken.map(\.content))
    if !adoption.taken.isEmpty { checkpointSoon() }
    return adoption
  }

  /// Makes later entries sort after the entries of these journals, in time and generation.
  func note(_ contents: [JournalContent]) {
    for content in contents {
      generations.note(content.index.generation)
      disk.withLock { $0.lastTime = max($0.lastTime, content.scan.lastTime) }
    }
  }
}
