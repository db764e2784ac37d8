import RepriseJournal
import RepriseLMDB
import RepriseLog

extension Drafts {
  /// Claims a draft for a context; false if it is claimed, here or in another process.
  package func claim(_ id: String) throws(DraftError) -> Bool {
    do throws(StoreError) { try store.requireOpen() } catch { throw .store(error) }
    do throws(JournalError) { return try store.journal.claim(.draft(id)) } catch {
      throw .store(StoreError(error, path: store.path))
    }
  }

  package func release(_ id: String) { store.journal.release(.draft(id)) }

  /// A draft with its uncommitted edits, claimed by a context of this process; `nil` if it does not exist. Of a draft
  /// of many edits, those that were checkpointed are read when they are asked for.
  package func image(of id: String) throws(DraftError) -> DraftImage? {
    do throws(StoreError) {
      try store.journals.takeOver(.draft(id))
      try store.journals.forgetRefused(.draft(id))
    } catch {
      throw .store(error)
    }
    let conversion = store.conversions.ofDrafts(store.map)
    do throws(DraftError) {
      return try image(of: id, with: [], nil, partly: conversion == nil)
    } catch {
      // It may be of before a migration.
      guard case .unreadable = error, let conversion else { throw error }
      let converted = try image(of: id, with: [], conversion, partly: true)
      do throws(StoreError) { try convert(id, conversion) } catch { throw .store(error) }
      var image = try image(of: id, with: [], nil, partly: true)
      // They are not written.
      image?.problems = converted?.problems ?? []
      return image
    }
  }

  /// Writes a draft that this process has claimed in the form in which migrations left what it touches. The caller's
  /// thread waits for other processes, but not long.
  private func convert(_ id: String, _ conversion: DraftConversion) throws(StoreError) {
    let checkpoint: TopicCheckpoint
    do throws(JournalError) {
      checkpoint = try store.journal.convert(id, conversion)
    } catch {
      throw StoreError(error, path: store.path)
    }
    try StoreError.converting { () throws(StorageError) in
      try store.environment.write(waiting: store.environment.briefWait) { (transaction) throws(StorageError) in
        try checkpoint.write(into: transaction)
      }
    }
  }

  /// An unclaimed draft, including the entries of other living processes.
  func unclaimedImage(of id: String) throws(DraftError) -> DraftImage? {
    let others: [JournalContent]
    do throws(JournalError) {
      others = try store.journal.othersJournals(about: .draft(id))
    } catch {
      throw .store(StoreError(error, path: store.path))
    }
    return try image(of: id, with: others, store.conversions.ofDrafts(store.map), partly: true)
  }

  private func image(
    of id: String, with others: [JournalContent], _ conversion: DraftConversion?, partly: Bool
  ) throws(DraftError) -> DraftImage? {
    let found: FoundDraft?
    do throws(StoreError) {
      let recovery = try recovery(of: id).adding(others)
      let source = source(of: id)
      found = try StoreError.converting { () throws(StorageError) in
        try store.environment.read { (transaction) throws(StorageError) in
          try checkingBase(
            of: recovery.draft(id, transaction.view, store.map, from: source, conversion, partly: partly),
            transaction.view)
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
    DraftSource(environment: store.environment, limit: store.journal.core.options.wholeDraftLimit) { [weak store] in
      guard let store, let recovery = try? store.drafts.recovery(of: draft) else { return nil }
      return try? store.environment.read { (transaction) throws(StorageError) in
        try recovery.rows(draft, transaction.view)
      }
    }
  }

  private func recovery(of draft: String) throws(StoreError) -> JournalRecovery {
    do throws(JournalError) { return try store.journal.recovery(of: draft) } catch {
      throw StoreError(error, path: store.path)
    }
  }

  /// Whether a draft of this ID has edits, readable or not; false if another process has claimed it. Writes nothing. As
  /// long as the store is not open it may have.
  package func hasEdits(_ id: String) -> Bool {
    if store.isEmptyYet { return true }
    if store.journal.isClaimed(.draft(id)).elsewhere { return false }
    do throws(DraftError) {
      return try unclaimedImage(of: id).map { !$0.isEmpty } ?? false
    } catch {
      if case .unreadable = error { return true }
      return false
    }
  }
}
