import RepriseEventStore
import RepriseObjectModel

extension RootContext {
  /// Appends the uncommitted changes to the log as one transaction, and moves to its position.
  ///
  /// The save contains the changes made before the call. Edits made while it waits stay uncommitted. A second save
  /// waits for the first one. Saves of several contexts at once share one commit to the disk, but each has its own
  /// transaction. If there are no changes, `save` returns the current position and does nothing, and undone steps can
  /// still be redone.
  ///
  /// If the changes conflict with another save, the merge policy decides. By default, `save` throws
  /// `SaveError.refused`. The check is part of the commit, so no other save can come between. Two saves that set a
  /// property to the same value do not conflict, unless the value is a number. For example, if two contexts each add 1
  /// to a number, the second save conflicts.
  ///
  /// Every policy also checks the rules of the models within the commit. For example, `save` throws
  /// `SaveError.refused` if two objects would have the same unique value, even if another process saved one of them.
  /// Afterwards the context and its objects show the saved values, including merged ones.
  ///
  /// - Parameters:
  ///   - name: The name of the transaction, as in "Rename item".
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` by default.
  ///   - metadata: Recorded with the transaction in addition to ``metadata``, whose equal keys it overrides.
  /// - Returns: The transaction's position.
  /// - Throws: ``SaveError``. `CancellationError` if the task is cancelled, and the save has waited for a second or
  ///   longer for another process that writes. Unless it is `SaveError.outcomeUnknown`, nothing was written, and the
  ///   changes are still uncommitted.
  @discardableResult
  nonisolated(nonsending)
    public func save(
      _ name: String? = nil, merging policy: MergePolicy? = nil, metadata: [String: String] = [:]
    ) async throws -> Position
  { try await save(name, author, merging: policy, metadata).position }

  /// Saves like ``save(_:merging:metadata:)``, and returns the transaction's position and the changed objects.
  ///
  /// - Parameters:
  ///   - name: The name of the transaction, as in "Rename item".
  ///   - author: The author recorded with the transaction; the context's ``author`` by default.
  ///   - policy: The merge policy of this save; ``EditingContext/mergePolicy`` by default.
  ///   - metadata: Recorded with the transaction in addition to ``metadata``, whose equal keys it overrides.
  /// - Returns: The result, whose ``SaveResult/isEmpty`` is true if there was nothing to write.
  /// - Throws: ``SaveError`` or `CancellationError`, like ``save(_:merging:metadata:)``.
  nonisolated(nonsending) public func saveChanges(
    _ name: String? = nil, by author: String? = nil, merging policy: MergePolicy? = nil,
    metadata: [String: String] = [:]
  ) async throws -> SaveResult { try await save(name, author ?? self.author, merging: policy, metadata) }

  /// Saves like ``save(_:merging:metadata:)``, and records `author` instead of the context's ``author``.
  ///
  /// Use it if one context does the work of several users, as in a server.
  @discardableResult
  nonisolated(nonsending) public func save(
    _ name: String? = nil, by author: String, merging policy: MergePolicy? = nil, metadata: [String: String] = [:]
  ) async throws -> Position { try await save(name, author, merging: policy, metadata).position }

  nonisolated(nonsending) private func save(
    _ name: String?, _ author: String?, merging policy: MergePolicy?, _ metadata: [String: String]
  ) async throws -> SaveResult {
    while frozen != nil { await withCheckedContinuation { waitingSaves.append($0) } }
    // Checked first, because otherwise the save would report reads that failed after the store was closed.
    guard !store.isClosed else { throw SaveError.store(.closed(path: store.path)) }
    if awaitsStore {
      do throws(StoreError) { try await store.waitUntilOpen() } catch { throw SaveError.store(error) }
      beginOnceOpen()
    }
    let unreadable = unreadable
    guard unreadable.isEmpty else { throw SaveError.unreadable(unreadable) }
    guard !overlay.isEmpty else { return SaveResult(nothingAt: position, in: store) }
    var merging = try validatedMerging(policy ?? mergePolicy)
    // The last position for which the recorded reads are known to be unchanged. A context that follows the head may be
    // ahead.
    var head = reads?.since
    let saved = overlay
    overlay = Overlay()
    frozen = saved
    endTyping()
    let takenDrafts = takenDrafts
    self.takenDrafts = []
    let own = draft?.freeze()
    let drafts = takenDrafts + (own.map { [$0] } ?? [])
    // Edits made while the save waits are not part of it, so they go into a later frame than the one written before it.
    if !drafts.isEmpty { store.journals.endFrame(in: turn.isolation) }
    let parts = saved.parts(named: name)
    let metadata = self.metadata.merging(metadata) { _, own in own }
    func request() -> SaveRequest {
      SaveRequest(
        base: position, author: author, contextName: self.name, name: name, metadata: metadata,
        wallTime: transactionMicroseconds, changes: saved.changes.map { ($0.key, $0.value) }, parts: parts,
        merging: merging, head: head, drafts: drafts)
    }
    var result = await store.save(request())
    saving: while case .failure(let refusal) = result {
      do throws(SaveError) {
        switch refusal {
        case .error(let error): throw error
        case .unvalidated(let objects):
          if let refusal = SaveRefusal(of: .save, [], violations(among: objects)) { throw .refused(refusal) }
          for (id, values) in objects { merging.validated?[id] = values }
        case .moved: head = try requireReads()
        case .cancelled: break saving
        }
      } catch {
        result = .failure(.error(error))
        break
      }
      result = await store.save(request())
    }
    frozen = nil
    defer {
      leavesRedoInDraft = false
      let waiting = waitingSaves
      waitingSaves = []
      for continuation in waiting { continuation.resume() }
    }
    switch result {
    case .success(let appended):
      forgetUnread()
      if let own { draft?.saved(own, isAll: overlay.isPristine) }
      if leavesRedoInDraft && overlay.isPristine { draft?.empty(in: self) }
      do {
        try move(to: appended.position, isOwn: true)
      } catch {
        invalidateAllHereAndInChildren()
      }
      noteDeletions(saved.changes.lazy.filter(\.value.isDeletion).map(\.key))
      wasSaved(appended, by: author)
      // Live objects read the changes from the log from now on, even if a refresh has already moved there.
      reread(saved.changes.keys)
      recordLiveObjects()
      catchUp()
      return SaveResult(appended, in: store)
    case .failure(let refusal):
      let above = overlay
      overlay = saved
      overlay.append(above)
      if leavesRedoInDraft {
        overlay.forgetRedo()
        draft?.rewritten(overlay, undoing: nil, in: self)
      }
      take(takenDrafts)
      // Merging the layers can cancel out a deletion in one and an insertion in the other.
      reread(above.changes.keys)
      catchUp()
      if case .cancelled = refusal { throw CancellationError() }
      // The loop has left no other.
      guard case .error(let error) = refusal else { return SaveResult(nothingAt: position, in: store) }
      throw withOwnRules(error)
    }
  }

  /// Takes note of the deletions that a save had as consequences, and of the transactions that are this context's own.
  private func wasSaved(_ appended: AppendedSave, by author: String?) {
    for transaction in appended.transactions {
      noteDeletions(transaction.deleted)
      if undoesSaves, author == nil, name == nil { ownSaves.append(transaction.position) }
    }
  }

  /// The head, if no recorded read has changed.
  private func requireReads() throws(SaveError) -> Position? {
    guard let reads else { return nil }
    let head: Position
    do throws(StoreError) { head = try store.refreshedHead() } catch { throw .store(error) }
    if let objects = try reads.overtaken(upTo: head) { throw .overtaken(objects) }
    return head
  }

  /// The merging of a save, with the objects that have passed their own rules. If an object breaks a rule, throws with
  /// all violations.
  private func validatedMerging(_ policy: MergePolicy) throws(SaveError) -> Merging {
    var merging: Merging
    let outcome: MergeOutcome
    do throws(StoreError) {
      try overlay.changes.readAll()
      merging = try validating(self.merging(policy))
      guard changesValidatedObjects else { return merging }
      outcome = try merge(merging)
    } catch {
      throw .store(error)
    }
    // With conflicts, it is for the writer to say.
    if !outcome.conflicts.isEmpty { return merging }
    let violations = violations(among: outcome.unvalidated)
    if !violations.isEmpty,
      let refusal = SaveRefusal(of: .save, [], outcome.violations + violations, outcome.invalidValues)
    {
      throw .refused(refusal)
    }
    for (id, values) in outcome.unvalidated { merging.validated?[id] = values }
    return merging
  }

  /// The refusal of a save, extended by broken rules of whole objects. If there are conflicts, the writer has not
  /// checked these.
  private func withOwnRules(_ error: SaveError) -> SaveError {
    guard case .refused(let refusal) = error, !refusal.conflicts.isEmpty, changesValidatedObjects,
      let outcome = try? merge(validating(Merging()))
    else { return error }
    let own = violations(among: outcome.unvalidated).filter { !refusal.violations.contains($0) }
    return SaveRefusal(of: .save, refusal.conflicts, refusal.violations + own, refusal.invalidValues)
      .map(SaveError.refused) ?? error
  }

  private var changesValidatedObjects: Bool {
    store.map.validates && overlay.changes.keys.contains { store.map.map($0.name)?.entity.validation != nil }
  }
}
