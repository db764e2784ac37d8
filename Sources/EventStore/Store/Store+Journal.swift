import RepriseLMDB
import RepriseObjectModel

extension Journal {
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
  /// A failure of the journal, as an error of the store at `path`.
  init(_ error: JournalError, path: String) {
    self = error == .closed ? .closed(path: path) : .journal(path: path + "/journals", reason: error.description)
  }
}

extension Store {
  /// Claims a draft for a context; false if it is claimed, here or in another process.
  package func claimDraft(_ id: String) throws(DraftError) -> Bool {
    do throws(StoreError) { try requireOpen() } catch { throw .store(error) }
    do throws(JournalError) { return try journal.claim(.draft(id)) } catch { throw .store(storeError(error)) }
  }

  package func releaseDraft(_ id: String) { journal.release(.draft(id)) }

  /// A draft with its uncommitted edits, claimed by a context of this process; `nil` if it does not exist. Of a draft
  /// of many edits, those that were checkpointed are read when they are asked for.
  package func draft(_ id: String) throws(DraftError) -> DraftImage? {
    do throws(StoreError) {
      try takeOver(.draft(id))
      try forgetRefused(.draft(id))
    } catch {
      throw .store(error)
    }
    let conversion = conversions.ofDrafts(map)
    do throws(DraftError) {
      return try draft(id, with: [], nil, partly: conversion == nil)
    } catch {
      // It may be of before a migration.
      guard case .unreadable = error, let conversion else { throw error }
      let converted = try draft(id, with: [], conversion, partly: true)
      do throws(StoreError) { try convertDraft(id, conversion) } catch { throw .store(error) }
      var image = try draft(id, with: [], nil, partly: true)
      // They are not written.
      image?.problems = converted?.problems ?? []
      return image
    }
  }

  /// Writes a draft that this process has claimed in the form in which migrations left what it touches. The caller's
  /// thread waits for other processes, but not long.
  private func convertDraft(_ id: String, _ conversion: DraftConversion) throws(StoreError) {
    let checkpoint: TopicCheckpoint
    do throws(JournalError) {
      checkpoint = try journal.convert(id, conversion)
    } catch {
      throw storeError(error)
    }
    try StoreError.converting { () throws(StorageError) in
      try environment.write(waiting: environment.briefWait) { (transaction) throws(StorageError) in
        try checkpoint.write(into: transaction)
      }
    }
  }

  /// An unclaimed draft, including the entries of other living processes.
  func unclaimedDraft(_ id: String) throws(DraftError) -> DraftImage? {
    let others: [JournalContent]
    do throws(JournalError) {
      others = try journal.othersJournals(about: .draft(id))
    } catch {
      throw .store(storeError(error))
    }
    return try draft(id, with: others, conversions.ofDrafts(map), partly: true)
  }

  private func draft(
    _ id: String, with others: [JournalContent], _ conversion: DraftConversion?, partly: Bool
  ) throws(DraftError) -> DraftImage? {
    let found: FoundDraft?
    do throws(StoreError) {
      let recovery = try recovery(of: id).adding(others)
      let source = source(of: id)
      found = try StoreError.converting { () throws(StorageError) in
        try environment.read { (transaction) throws(StorageError) in
          try checkingBase(
            of: recovery.draft(id, transaction.view, map, from: source, conversion, partly: partly), transaction.view)
        }
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

  /// Also says if it does not rest on this log.
  func checkingBase(of draft: FoundDraft?, _ view: View) throws(StorageError) -> FoundDraft? {
    guard var draft else { return nil }
    if let problem = try baseProblem(of: draft.header, view) { draft.add(problem) }
    return draft
  }

  private func source(of draft: String) -> DraftSource {
    DraftSource(environment: environment, limit: journal.core.options.wholeDraftLimit) { [weak self] in
      guard let self, let recovery = try? recovery(of: draft) else { return nil }
      return try? environment.read { (transaction) throws(StorageError) in
        try recovery.rows(draft, transaction.view)
      }
    }
  }

  private func recovery(of draft: String) throws(StoreError) -> JournalRecovery {
    do throws(JournalError) { return try journal.recovery(of: draft) } catch { throw storeError(error) }
  }

  /// Checkpoints the entries of other living processes about a draft or scene that this process has claimed. Usually
  /// they have none; otherwise it costs one commit, before which the caller's thread waits for other processes, but not
  /// long.
  func takeOver(_ topic: JournalTopic) throws(StoreError) {
    // Makes the previous owner's last save visible: the edits that it consumed are no longer part of the draft.
    let (environment, journal) = (sceneFiles.environment, sceneJournal)
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
      try environment.write(waiting: environment.briefWait) { (transaction) throws(StorageError) in
        try checkpoint.write(into: transaction)
      }
    }
  }

  /// Records, in the transaction of a save, that the draft's edits are in the log, so that the journal need not keep
  /// them.
  func consume(_ draft: FrozenDraft, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try journal.consume(draft.id, upTo: draft.generation, in: transaction)
  }

  /// Checkpoints the journal whenever a checkpoint is due, even if nothing is saved.
  func checkpointJournalWhenDue() {
    journal.whenToCheckpoint { [weak self] in
      guard let self else { return }
      Task { try? await self.checkpointJournal(onlyHeld: !self.journal.needsCheckpoint) }
    }
  }

  /// Starts a checkpoint if the journal exceeds its threshold, and returns at once. A failure is reported to the
  /// journal's handler, and the checkpoint is retried.
  package func checkpointJournalIfNeeded() {
    guard journal.needsCheckpoint else { return }
    Task { try? await checkpointJournal() }
  }

  /// Moves the journal's content into the environment, slice by slice, with saves in between, and removes its files.
  /// Does nothing while another checkpoint is under way.
  ///
  /// - Parameters:
  ///   - onlyHeld: Only journals taken over from dead processes; the own file goes on.
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
          // What is not checkpointed stays in the journal: a store that is closed need not wait for it.
          try environment.write(waiting: isClosing ? environment.briefWait : nil) {
            (transaction) throws(StorageError) in try slice.write(into: transaction)
          }
        }
      }
      checkpoint.didCommit()
    }
    // Commits that a power cut could still undo must be flushed before the files are removed.
    try StoreError.converting(environment.flush)
    let done = checkpoint
    try await checkpointing { (journal) throws(JournalError) in try journal.didCheckpoint(done) }
  }

  /// Retries until no open turn holds entries back, which the journal allows for a short time only.
  private func beginCheckpoint(isClosing: Bool) async throws(StoreError) -> JournalCheckpoint? {
    while true {
      let (isHeld, checkpoint) = try await checkpointing { (journal) throws(JournalError) in
        isClosing ? (false, try journal.beginCheckpoint()) : try journal.beginCheckpointBetweenTurns()
      }
      if !isHeld { return checkpoint }
      try? await Task.sleep(nanoseconds: 5_000_000)
    }
  }

  /// Runs `body`, which may wait for the disk, on the writer's executor.
  private func checkpointing<Success: Sendable>(
    _ body: @escaping @Sendable (Journal) throws(JournalError) -> Success
  ) async throws(StoreError) -> Success {
    let (journal, path) = (journal, path)
    return try await writer.perform(in: self) { () throws(StoreError) in
      do throws(JournalError) { return try body(journal) } catch { throw StoreError(error, path: path) }
    }
  }
}

extension Environment {
  /// How long a caller that cannot suspend waits for another process that shows no sign of life, in milliseconds.
  var briefWait: Int { min(2_000, options.writerTimeout) }
}
