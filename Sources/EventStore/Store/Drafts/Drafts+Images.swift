import RepriseJournal
import RepriseLMDB
import RepriseLog

extension Drafts {
  /// Claims a draft for a context. False if it is claimed, here or in another process.
  package func claim(_ draft: JournalTopic) throws(DraftError) -> Bool {
    do throws(StoreError) { try store.requireOpen() } catch { throw .store(error) }
    if store.journal.isOnlyRead { throw .store(.readOnly(path: store.path)) }
    do throws(JournalError) { return try store.journal.claim(draft) } catch {
      throw .store(StoreError(error, path: store.path))
    }
  }

  package func release(_ draft: JournalTopic) { store.journal.release(draft) }

  /// A draft with its uncommitted edits, for a context of this process that has claimed it. `nil` if the draft does not
  /// exist. If it has many edits, the checkpointed ones are read only when they are needed.
  package func image(of draft: JournalTopic) throws(DraftError) -> DraftImage? {
    store.files.sharing?.waitForPackets()
    do throws(StoreError) {
      try store.journals.takeOver(draft)
      try store.journals.forgetRefused(draft)
    } catch {
      throw .store(error)
    }
    let conversion = store.conversions.ofDrafts(store.map)
    do throws(DraftError) {
      return try image(of: draft, with: [], nil, partly: conversion == nil)
    } catch {
      // The draft may be older than a migration.
      guard case .unreadable = error, let conversion else { throw error }
      let converted = try image(of: draft, with: [], conversion, partly: true)
      // Nothing is written for values that are only left out.
      guard let converted, converted.isConverted else { return converted }
      do throws(StoreError) { try convert(draft, conversion) } catch { throw .store(error) }
      var image = try image(of: draft, with: [], conversion, partly: true)
      // The converted draft in the store does not have these problems.
      image?.problems = converted.problems
      return image
    }
  }

  /// Rewrites a draft that this process has claimed, in the form that migrations gave its objects. The caller's thread
  /// waits for other writers, but not long.
  private func convert(_ draft: JournalTopic, _ conversion: DraftConversion) throws(StoreError) {
    let checkpoint: TopicCheckpoint
    do throws(JournalError) {
      checkpoint = try store.journal.convert(draft, conversion)
    } catch {
      throw StoreError(error, path: store.path)
    }
    try StoreError.converting { () throws(StorageError) in
      try store.environment.write(waiting: store.environment.briefWait) { (transaction) throws(StorageError) in
        try checkpoint.write(into: transaction)
      }
    }
  }

  /// An unclaimed draft, with the entries in the journals of other living processes.
  func unclaimedImage(of draft: JournalTopic) throws(DraftError) -> DraftImage? {
    let others: [JournalContent]
    do throws(JournalError) {
      others = try store.journal.othersJournals(about: draft)
    } catch {
      throw .store(StoreError(error, path: store.path))
    }
    return try image(of: draft, with: others, store.conversions.ofDrafts(store.map), partly: true)
  }

  private func image(
    of draft: JournalTopic, with others: [JournalContent], _ conversion: DraftConversion?, partly: Bool
  ) throws(DraftError) -> DraftImage? {
    let found: DraftFinding?
    do throws(StoreError) {
      let recovery = try recovery(of: draft).adding(others)
      let source = source(of: draft)
      found = try StoreError.converting { () throws(StorageError) in
        try store.environment.read { (transaction) throws(StorageError) in
          try checkingBase(
            of: recovery.draft(draft, transaction.view, store.map, from: source, conversion, partly: partly),
            transaction.view)
        }
      }
    } catch {
      throw .store(error)
    }
    switch found?.draft {
    case .readable(let image): return image
    case .unreadable(_, let reason): throw .unreadable(draft.name, reason: reason)
    case nil: return nil
    }
  }

  /// Adds a problem if the draft does not rest on this log.
  func checkingBase(of draft: DraftFinding?, _ view: View) throws(StorageError) -> DraftFinding? {
    guard var draft else { return nil }
    if let problem = try baseProblem(of: draft.header, view) { draft.add(problem) }
    return draft
  }

  private func source(of draft: JournalTopic) -> DraftSource {
    DraftSource(environment: store.environment, limit: store.journal.core.options.wholeDraftLimit) { [weak store] in
      guard let store, let recovery = try? store.drafts.recovery(of: draft) else { return nil }
      return try? store.environment.read { (transaction) throws(StorageError) in
        try recovery.rows(draft, transaction.view)
      }
    }
  }

  private func recovery(of draft: JournalTopic) throws(StoreError) -> JournalRecovery {
    do throws(JournalError) { return try store.journal.recovery(of: draft) } catch {
      throw StoreError(error, path: store.path)
    }
  }

  /// Whether a draft of this ID has edits, readable or not. False if another process has claimed the draft. True while
  /// the store is not open, because the draft may have edits. Writes nothing.
  package func hasEdits(_ id: String) -> Bool {
    if store.isEmptyYet { return true }
    let draft = JournalTopic.draft(id)
    if store.journal.isClaimed(draft).elsewhere { return false }
    do throws(DraftError) {
      return try unclaimedImage(of: draft).map { !$0.isEmpty || $0.hasUnconverted } ?? false
    } catch {
      if case .unreadable = error { return true }
      return false
    }
  }
}
