import RepriseObjectModel

extension Journal {
  /// Makes sure that a draft is open in no other process. If one that had it has died since this journal was opened,
  /// its journal is taken over, and the draft can be recovered: take a new ``recovery()``. Lists the folder, and reads
  /// the journals of other living processes.
  ///
  /// Throws `draftInUse` if another process has it.
  package func claim(_ draft: String) throws(JournalError) {
    let adoption = try core.look()
    for journal in adoption.live {
      if core.openDrafts(of: journal).contains(draft) { throw .draftInUse(draft: draft, journal: journal) }
    }
  }

  /// The drafts that other living processes have open. Costs as ``claim(_:)`` does.
  package func draftsInUse() throws(JournalError) -> Set<String> {
    var drafts: Set<String> = []
    for journal in try core.look().live { drafts.formUnion(core.openDrafts(of: journal)) }
    return drafts
  }
}

extension JournalCore {
  /// Looks for journals that this process does not hold, and takes over the dead ones.
  fileprivate func look() throws(JournalError) -> Journal.Adoption {
    try disk.withLock { disk throws(JournalError) in
      if disk.isAbandoned { throw .closed }
      var adoption = Journal.Adoption(folder: folder, log: log, wrap: options.file)
      if let stamp = disk.quietStamp, stamp == folder.stamp { return adoption }
      try folder.look(knowing: disk.held.map(\.journal) + [disk.own.journal], &disk.quietStamp) { adoption.take($0) }
      if !adoption.isAlone { disk.quietStamp = nil }
      for journal in adoption.taken {
        generations.note(journal.index.generation)
        // What is written from now on comes after what is in it.
        disk.lastTime = max(disk.lastTime, journal.scan.lastTime)
      }
      disk.held += adoption.taken
      return adoption
    }
  }

  /// What cannot be read has nothing open.
  fileprivate func openDrafts(of journal: UniqueID) -> [String] {
    guard let bytes = try? folder.readLive(journal) else { return [] }
    return JournalContent(JournalScan(bytes, log: log, journal: journal)).index.openDrafts
  }
}
