import RepriseLMDB
import RepriseObjectModel

extension Journal {
  /// Opens the journal of a store.
  static func open(
    _ directory: String, logID: UniqueID, map: SchemaMap, options: JournalOptions, _ environment: Environment,
    _ tables: StoreTables
  ) throws(StoreError) -> Journal {
    try environment.read { (transaction) throws(StoreError) in
      do throws(JournalError) {
        return try open(
          directory: directory + "/journals", claims: directory + "/data.mdb", log: logID, map: map, tables: tables,
          view: transaction.view, options: options)
      } catch {
        throw StoreError(error, path: directory)
      }
    }
  }
}

extension StoreError {
  /// What a failure of the journal means to a user of the store at `path`.
  init(_ error: JournalError, path: String) {
    self = error == .closed ? .closed(path: path) : .journal(path: path + "/journals", reason: error.description)
  }
}

extension Store {
  /// Takes a draft for a context; false if one has it, here or in another process.
  package func claimDraft(_ id: String) throws(DraftError) -> Bool {
    do throws(JournalError) { return try journal.claim(.draft(id)) } catch { throw .store(storeError(error)) }
  }

  package func releaseDraft(_ id: String) { journal.release(.draft(id)) }

  /// A draft with its uncommitted edits, which a context of this process has taken; `nil` if there is none.
  package func draft(_ id: String) throws(DraftError) -> DraftImage? {
    do throws(StoreError) { try takeOver(.draft(id)) } catch { throw .store(error) }
    return try draft(id, with: [])
  }

  /// A draft that nobody has, with what other living processes wrote of it.
  func unclaimedDraft(_ id: String) throws(DraftError) -> DraftImage? {
    let others: [JournalContent]
    do throws(JournalError) {
      others = try journal.othersJournals(about: .draft(id))
    } catch {
      throw .store(storeError(error))
    }
    return try draft(id, with: others)
  }

  private func draft(_ id: String, with others: [JournalContent]) throws(DraftError) -> DraftImage? {
    let found: FoundDraft?
    do throws(StoreError) {
      let recovery = try recovery(of: id).adding(others)
      found = try StoreError.converting { () throws(StorageError) in
        try environment.read { (transaction) throws(StorageError) in try recovery.draft(id, transaction.view, map) }
      }
    } catch {
      throw .store(error)
    }
    switch found?.draft {
    case .readable(let image): return image
    case .unreadable(_, let reason): throw .unreadable(id, reason: reason)
    case nil: return nil
    }
  }

  private func recovery(of draft: String) throws(StoreError) -> JournalRecovery {
    do throws(JournalError) { return try journal.recovery(of: draft) } catch { throw storeError(error) }
  }

  /// Brings into the tables what other living processes wrote of a draft or scene that is this one's now. Most often
  /// they wrote nothing; else it is one commit.
  func takeOver(_ topic: JournalTopic) throws(StoreError) {
    // What whoever had it before saved last: its edits are out of the draft then.
    try StoreError.converting(environment.bringToLight)
    let checkpoint = try environment.read { (transaction) throws(StoreError) in
      do throws(JournalError) {
        return try journal.takeover(of: topic, transaction.view)
      } catch {
        throw storeError(error)
      }
    }
    guard let checkpoint else { return }
    try StoreError.converting { () throws(StorageError) in
      try environment.write { (transaction) throws(StorageError) in try checkpoint.write(into: transaction) }
    }
  }

  /// In the transaction of a save: the journal need not keep what it took into the log.
  func consume(_ draft: FrozenDraft, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try journal.consume(draft.id, upTo: draft.generation, in: transaction)
  }

  /// Has the journal checkpointed whenever it is time, saves or none.
  func checkpointJournalWhenDue() {
    journal.whenToCheckpoint { [weak self] in
      guard let self else { return }
      Task { try? await self.checkpointJournal(onlyHeld: !self.journal.needsCheckpoint) }
    }
  }

  /// Checkpoints the journal if it has grown beyond its threshold. Returns at once; a failure goes to the journal's
  /// handler, and the next try comes by itself.
  package func checkpointJournalIfNeeded() {
    guard journal.needsCheckpoint else { return }
    Task { try? await checkpointJournal() }
  }

  /// Moves the journal's content into the store, slice by slice, with saves in between, and removes its files. Does
  /// nothing while another checkpoint is under way.
  ///
  /// - Parameters:
  ///   - onlyHeld: Only what was taken over from dead processes; the own file goes on.
  ///   - isClosing: Nothing more will be appended.
  package func checkpointJournal(onlyHeld: Bool = false, isClosing: Bool = false) async throws(StoreError) {
    guard journal.takeCheckpointing() else { return }
    defer { journal.endCheckpointing() }
    let begun =
      onlyHeld
      ? try await checkpointing { (journal) throws(JournalError) in try journal.beginCheckpointOfHeld() }
      : try await beginCheckpoint(isClosing: isClosing)
    guard var checkpoint = begun else { return }
    while !checkpoint.isDone {
      let slice = checkpoint
      let environment = environment
      try await writer.perform(in: self) { () throws(StoreError) in
        try StoreError.converting { () throws(StorageError) in
          try environment.write { (transaction) throws(StorageError) in try slice.write(into: transaction) }
        }
      }
      checkpoint.didCommit()
    }
    // Commits that are not flushed one by one are flushed before the files go.
    try StoreError.converting(environment.flush)
    let done = checkpoint
    try await checkpointing { (journal) throws(JournalError) in try journal.didCheckpoint(done) }
  }

  /// Waits for the end of a turn, which comes soon, or is not waited for long.
  private func beginCheckpoint(isClosing: Bool) async throws(StoreError) -> JournalCheckpoint? {
    while true {
      let (isHeld, checkpoint) = try await checkpointing { (journal) throws(JournalError) in
        isClosing ? (false, try journal.beginCheckpoint()) : try journal.beginCheckpointBetweenTurns()
      }
      if !isHeld { return checkpoint }
      try? await Task.sleep(nanoseconds: 5_000_000)
    }
  }

  /// What waits for the disk does so where saves are written.
  private func checkpointing<Success: Sendable>(
    _ body: @escaping @Sendable (Journal) throws(JournalError) -> Success
  ) async throws(StoreError) -> Success {
    let (journal, path) = (journal, path)
    return try await writer.perform(in: self) { () throws(StoreError) in
      do throws(JournalError) { return try body(journal) } catch { throw StoreError(error, path: path) }
    }
  }
}
