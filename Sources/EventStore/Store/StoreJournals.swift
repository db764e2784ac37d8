import RepriseJournal
import RepriseLMDB
import RepriseLog
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

/// The journals of a store: of this process, of dead processes, and of other living processes.
@usableFromInline package struct StoreJournals: Sendable {
  @usableFromInline package let store: Store

  @inlinable package init(_ store: Store) { self.store = store }
}

extension Store {
  @inlinable package var journals: StoreJournals { StoreJournals(self) }
}

extension StoreJournals {
  /// Checkpoints the entries of other living processes about a draft or scene that this process has claimed. Usually
  /// there are none. Otherwise it costs a commit. The caller's thread waits for other writers, but not long.
  func takeOver(_ topic: JournalTopic) throws(StoreError) {
    // Makes the previous owner's last save visible, because the edits that the save consumed are no longer part of the
    // draft.
    let (environment, journal) = (store.scenes.files.environment, store.scenes.journal)
    try StoreError.converting(environment.bringToLight)
    let checkpoint = try environment.read { (transaction) throws(StoreError) in
      do throws(JournalError) {
        return try journal.takeover(of: topic, transaction.view)
      } catch {
        throw StoreError(error, path: store.path)
      }
    }
    guard let checkpoint else { return }
    try StoreError.converting { () throws(StorageError) in
      try environment.write(waiting: environment.briefWait) { (transaction) throws(StorageError) in
        try checkpoint.write(into: transaction)
      }
    }
  }

  /// Checkpoints the journal whenever a checkpoint is due, even if nothing is saved.
  func checkpointWhenDue() {
    store.journal.whenToCheckpoint { [weak store] in
      guard let store else { return }
      Task { try? await store.journals.checkpoint(onlyHeld: !store.journal.needsCheckpoint) }
    }
  }

  /// Starts a checkpoint if the journal exceeds its threshold, and returns at once. A failure is reported to the
  /// journal's handler, and the checkpoint is retried.
  package func checkpointIfNeeded() {
    guard store.journal.needsCheckpoint else { return }
    Task { try? await checkpoint() }
  }

  /// Moves the journal's content into the environment, slice by slice, with saves in between, and removes its files.
  /// Does nothing while another checkpoint is under way.
  ///
  /// - Parameters:
  ///   - onlyHeld: Whether to move only the journals taken over from dead processes, and to leave this process's own
  ///     file.
  ///   - isClosing: Whether nothing more will be appended.
  package func checkpoint(onlyHeld: Bool = false, isClosing: Bool = false) async throws(StoreError) {
    guard store.journal.takeCheckpointing() else { return }
    defer { store.journal.endCheckpointing() }
    let begun =
      onlyHeld
      ? try await checkpointing { (journal) throws(JournalError) in try journal.beginCheckpointOfHeld() }
      : try await beginCheckpoint(isClosing: isClosing)
    guard var checkpoint = begun else { return }
    while !checkpoint.isDone {
      let slice = checkpoint
      let environment = store.environment
      try await store.writer.perform(in: store) { () throws(StoreError) in
        try StoreError.converting { () throws(StorageError) in
          // The entries that are not checkpointed stay in the journal, so closing the store need not wait for a slice.
          try environment.write(waiting: isClosing ? environment.briefWait : nil) {
            (transaction) throws(StorageError) in try slice.write(into: transaction)
          }
        }
      }
      checkpoint.didCommit()
    }
    // Each commit survives a power cut when it returns, so the files may go.
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
    let (journal, path) = (store.journal, store.path)
    return try await store.writer.perform(in: store) { () throws(StoreError) in
      do throws(JournalError) { return try body(journal) } catch { throw StoreError(error, path: path) }
    }
  }
}

extension Environment {
  /// The longest wait of a caller that cannot suspend for another process that shows no sign of life, in milliseconds.
  var briefWait: Int { min(2_000, options.writerTimeout) }
}
