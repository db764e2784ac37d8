import RepriseLMDB
import RepriseObjectModel

extension Journal {
  /// Opens the journal of a store.
  static func open(
    directory: String, logID: UniqueID, map: SchemaMap, options: JournalOptions, _ environment: Environment,
    _ tables: StoreTables, path: String
  ) throws(StoreError) -> Journal {
    try environment.read { (transaction) throws(StoreError) in
      do throws(JournalError) {
        return try open(
          directory: directory, log: logID, map: map, tables: tables, view: transaction.view, options: options)
      } catch {
        throw StoreError(error, path: path)
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
  /// A draft with its uncommitted edits; `nil` if there is none. Throws `inUse` if another process has it open.
  package func draft(_ id: String) throws(DraftError) -> DraftImage? {
    let recovery: JournalRecovery
    do throws(JournalError) {
      try journal.claim(id)
      recovery = try journal.recovery(of: id)
    } catch {
      if case .draftInUse = error { throw .inUse(id) }
      throw .store(StoreError(error, path: path))
    }
    let found: FoundDraft?
    do throws(StoreError) {
      found = try environment.read { (transaction) throws(StoreError) in
        do throws(LMDBError) { return try recovery.draft(id, transaction.view, map) } catch { throw StoreError(error) }
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

  /// In the transaction of a save: the journal need not keep what it took into the log.
  func consume(_ draft: FrozenDraft, _ transaction: borrowing WriteTransaction) throws(SaveFailure) {
    do throws(LMDBError) {
      try journal.consume(draft.id, upTo: draft.generation, in: transaction)
    } catch {
      throw SaveFailure(error)
    }
  }

  /// Has the journal folded whenever it has grown beyond its threshold, saves or none.
  func foldJournalWhenFull() {
    journal.whenFull { [weak self] in self?.foldJournalIfNeeded() }
  }

  /// Folds the journal if it has grown beyond its threshold. Returns at once; a failure goes to the journal's handler,
  /// and the next try comes by itself.
  package func foldJournalIfNeeded() {
    guard journal.needsFolding else { return }
    Task { try? await foldJournal() }
  }

  /// Moves the journal's content into the store, slice by slice, with saves in between, and removes its files. Does
  /// nothing while another fold is under way. `isClosing`: nothing more will be appended.
  package func foldJournal(isClosing: Bool = false) async throws(StoreError) {
    guard journal.takeFolding() else { return }
    defer { journal.endFolding() }
    guard var fold = try await beginFold(isClosing: isClosing) else { return }
    while !fold.isDone {
      let slice = fold
      let environment = environment
      try await writer.perform(in: self) {
        do throws(LMDBError) {
          return .success(try environment.write { transaction throws(LMDBError) in try slice.write(into: transaction) })
        } catch {
          return .failure(StoreError(error))
        }
      }.get()
      fold.didCommit()
    }
    // Commits that are not flushed one by one are flushed before the files go.
    do throws(LMDBError) { try environment.flush() } catch { throw StoreError(error) }
    let done = fold
    try await folding { (journal) throws(JournalError) in try journal.didFold(done, isClosing: isClosing) }
  }

  /// Waits for the end of a turn, which comes soon, or is not waited for long.
  private func beginFold(isClosing: Bool) async throws(StoreError) -> JournalFold? {
    while true {
      let (isHeld, fold) = try await folding { (journal) throws(JournalError) in
        isClosing ? (false, try journal.beginFold()) : try journal.beginFoldBetweenTurns()
      }
      if !isHeld { return fold }
      try? await Task.sleep(nanoseconds: 5_000_000)
    }
  }

  /// What waits for the disk does so where saves are written.
  private func folding<Success: Sendable>(
    _ body: @escaping @Sendable (Journal) throws(JournalError) -> Success
  ) async throws(StoreError) -> Success {
    let (journal, path) = (journal, path)
    return try await writer.perform(in: self) {
      do throws(JournalError) {
        return .success(try body(journal))
      } catch {
        return .failure(StoreError(error, path: path))
      }
    }.get()
  }
}
