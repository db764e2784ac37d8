import RepriseLMDB
import RepriseObjectModel

extension Journal {
  // MARK: Claims

  /// Takes a draft or a scene for a context or a restoration of this process; false if somebody has it, here or in
  /// another process. Waits for nobody.
  package func claim(_ topic: JournalTopic) throws(JournalError) -> Bool {
    do throws(SystemFailure) {
      return try core.claims.take(topic)
    } catch {
      throw .cannotClaim(path: core.folder.path, errno: error.errno)
    }
  }

  /// Whoever had it here is done with it. Others may have it as soon as all that was appended is written.
  package func release(_ topic: JournalTopic) {
    core.claims.leave(topic)
    core.letGoSoon()
  }

  /// Whether it is taken: by this process, or by another.
  package func isClaimed(_ topic: JournalTopic) -> (here: Bool, elsewhere: Bool) { core.claims.isTaken(topic) }

  // MARK: What others wrote

  /// The journals of other living processes, as far as they are written; with a topic, those that speak of it. A draft
  /// or a scene that was let go there is in them still, and so is what another process has taken over from a dead one
  /// and is checkpointing.
  ///
  /// Takes over the journals of processes that died since this journal was opened. Lists the folder, unless nothing in
  /// it has changed since it held this process's journals only, and reads each journal of others.
  func othersJournals(about topic: JournalTopic? = nil) throws(JournalError) -> [JournalContent] {
    var contents: [JournalContent] = []
    for journal in try core.look().live {
      let bytes: [UInt8]
      do throws(SystemFailure) {
        bytes = try core.folder.readLive(journal)
      } catch {
        if error.isPassing {
          throw .cannotRead(path: core.folder.path(JournalFolder.name(journal)), errno: error.errno)
        }
        // It was checkpointed meanwhile, or is damaged in a way that its process must tell of.
        continue
      }
      let content = JournalContent(JournalScan(bytes, log: core.log, journal: journal, isOfLiving: true))
      if let topic, topic.entries(content.index) == nil { continue }
      contents.append(content)
    }
    core.note(contents)
    return contents
  }

  /// A checkpoint of what other living processes wrote of a topic that is this process's now, into the tables: what it
  /// writes itself comes after that. `nil` if they wrote nothing that is not there.
  package func takeover(of topic: JournalTopic, _ view: View) throws(JournalError) -> TopicCheckpoint? {
    let others = try othersJournals(about: topic)
    if others.isEmpty { return nil }
    let mine: [JournalContent] = try core.disk.withLock { disk throws(JournalError) in
      if disk.isAbandoned { throw .closed }
      let held = disk.held.map(\.content)
      guard disk.own.file != nil, let own = try core.known(&disk, withTurn: false) else { return held }
      return held + [own]
    }
    let recovery = JournalRecovery(mine + others, tables, core.generations)
    do throws(StorageError) {
      guard try recovery.hasNews(of: topic, in: Set(others.map(\.journal)), view) else { return nil }
    } catch {
      throw .tables(error.description)
    }
    // As in a checkpoint of what was taken over.
    for other in others { core.folder.flushLive(other.journal) }
    return TopicCheckpoint(topic, recovery, core.folder)
  }
}

extension JournalCore {
  /// Looks for journals that this process does not hold, and takes over the dead ones.
  func look() throws(JournalError) -> Journal.Adoption {
    let adoption = try disk.withLock { disk throws(JournalError) in
      if disk.isAbandoned { throw .closed }
      var adoption = Journal.Adoption(folder: folder, log: log, wrap: options.file)
      if let stamp = disk.quietStamp, stamp == folder.stamp { return adoption }
      try folder.look(knowing: disk.held.map(\.journal) + [disk.own.journal], &disk.quietStamp) { adoption.take($0) }
      if !adoption.isAlone { disk.quietStamp = nil }
      disk.held += adoption.taken
      return adoption
    }
    note(adoption.taken.map(\.content))
    if !adoption.taken.isEmpty { checkpointSoon() }
    return adoption
  }

  /// What is written from now on comes after what is in these.
  func note(_ contents: [JournalContent]) {
    for content in contents {
      generations.note(content.index.generation)
      disk.withLock { $0.lastTime = max($0.lastTime, content.scan.lastTime) }
    }
  }
}
