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

  /// Saves like ``save(_:merging:metadata:)``, and blocks the thread until the save has ended.
  ///
  /// Use it where you cannot suspend, in a tool or on a thread that you started. The thread waits for the disk. While
  /// another thread or process writes, it waits for that writer, too. The wait has no limit as long as a writing
  /// process shows signs of life. Cancelling a task does not end it.
  ///
  /// The process ends with a message if the context belongs to the main actor, whose thread must stay free. The same
  /// happens if another save of the context is under way.
  ///
  /// - Parameters:
  ///   - name: The name of the transaction, as in "Rename item".
  ///   - policy: The merge policy of this save. By default, it is ``EditingContext/mergePolicy``.
  ///   - metadata: Recorded with the transaction in addition to ``metadata``, whose equal keys it overrides.
  /// - Returns: The transaction's position.
  /// - Throws: ``SaveError``, like ``save(_:merging:metadata:)``. If the store is still opening, it is
  ///   ``StoreError/opening(path:)``.
  @available(*, noasync, message: "Use save, which does not block the thread.")
  @discardableResult
  public func saveAndWait(
    _ name: String? = nil, merging policy: MergePolicy? = nil, metadata: [String: String] = [:]
  ) throws -> Position {
    precondition(
      turn.isolation !== MainActor.shared,
      "`saveAndWait` would block the main thread, because this context belongs to the main actor. Call `save` instead.")
    precondition(frozen == nil, "`saveAndWait` was called during another save of this context. Await that save first.")
    try requireUnclosed()
    beginOnceOpen()
    do throws(StoreError) { try store.requireOpen() } catch { throw SaveError.store(error) }
    if try hasNothingToSave() { return position }
    var save = try freeze(name, author, policy, metadata)
    var result = store.saveAndWait(request(save))
    while prepares(&save, after: &result) { result = store.saveAndWait(request(save)) }
    return try end(save, result).position
  }

  nonisolated(nonsending) private func save(
    _ name: String?, _ author: String?, merging policy: MergePolicy?, _ metadata: [String: String]
  ) async throws -> SaveResult {
    while frozen != nil { await withCheckedContinuation { waitingSaves.append($0) } }
    try requireUnclosed()
    if awaitsStore {
      do throws(StoreError) { try await store.waitUntilOpen() } catch { throw SaveError.store(error) }
      beginOnceOpen()
    }
    if try hasNothingToSave() { return SaveResult(nothingAt: position, in: store) }
    var save = try freeze(name, author, policy, metadata)
    var result = await store.save(request(save), mayBlock: mayBlock)
    while prepares(&save, after: &result) { result = await store.save(request(save), mayBlock: mayBlock) }
    return try end(save, result)
  }

  /// The changes of a save that is under way, and the arguments of the save.
  private struct FrozenSave {
    let changes: Overlay
    let parts: [SaveRequest.Part]
    let name: String?
    let author: String?
    let metadata: [String: String]
    /// The drafts of children that were saved into the context.
    let takenDrafts: [FrozenDraft]
    let ownDraft: FrozenDraft?
    var merging: Merging
    /// The last position for which the recorded reads are known to be unchanged. The position of a context that follows
    /// the head may be later.
    var head: Position?

    var drafts: [FrozenDraft] { takenDrafts + (ownDraft.map { [$0] } ?? []) }
  }

  /// Checked first, because otherwise the save would report reads that failed after the store was closed.
  private func requireUnclosed() throws(SaveError) {
    if store.isClosed { throw .store(.closed(path: store.path)) }
  }

  private func hasNothingToSave() throws(SaveError) -> Bool {
    let unreadable = unreadable
    guard unreadable.isEmpty else { throw .unreadable(unreadable) }
    return overlay.isEmpty
  }

  /// Puts a new overlay above the changes, for the edits that are made while they are saved.
  private func freeze(
    _ name: String?, _ author: String?, _ policy: MergePolicy?, _ metadata: [String: String]
  ) throws(SaveError) -> FrozenSave {
    let merging = try validatedMerging(policy ?? mergePolicy)
    let saved = overlay
    overlay = Overlay()
    frozen = saved
    endTyping()
    let takenDrafts = takenDrafts
    self.takenDrafts = []
    let save = FrozenSave(
      changes: saved, parts: saved.parts(named: name), name: name, author: author,
      metadata: self.metadata.merging(metadata) { _, own in own }, takenDrafts: takenDrafts,
      ownDraft: draft?.freeze(), merging: merging, head: reads?.since)
    // Edits made while the save waits are not part of it, so the frame with the saved edits ends here.
    if !save.drafts.isEmpty { store.journals.endFrame(in: turn.isolation) }
    return save
  }

  private func request(_ save: FrozenSave) -> SaveRequest {
    SaveRequest(
      base: position, author: save.author, contextName: name, name: save.name, metadata: save.metadata,
      wallTime: transactionMicroseconds, changes: save.changes.changes.map { ($0.key, $0.value) }, parts: save.parts,
      merging: save.merging, head: save.head, drafts: save.drafts, observer: headObserver)
  }

  /// Prepares the save for another attempt, if the writer needs to know more. False if the result is final.
  private func prepares(_ save: inout FrozenSave, after result: inout Result<AppendedSave, AppendRefusal>) -> Bool {
    guard case .failure(let refusal) = result else { return false }
    do throws(SaveError) {
      switch refusal {
      case .error, .cancelled: return false
      case .unvalidated(let objects):
        if let refusal = SaveRefusal(of: .save, [], violations(among: objects)) { throw .refused(refusal) }
        for (id, values) in objects { save.merging.validated?[id] = values }
      case .moved: save.head = try requireReads()
      }
      return true
    } catch {
      result = .failure(.error(error))
      return false
    }
  }

  /// Moves to the position of the save, or puts its changes back below the later edits.
  private func end(_ save: FrozenSave, _ result: Result<AppendedSave, AppendRefusal>) throws -> SaveResult {
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
      if let own = save.ownDraft { draft?.saved(own, isAll: overlay.isPristine) }
      if leavesRedoInDraft && overlay.isPristine { draft?.empty(in: self) }
      do {
        try move(to: appended.position, isOwn: true)
      } catch {
        invalidateAllHereAndInChildren()
      }
      noteDeletions(save.changes.changes.lazy.filter(\.value.isDeletion).map(\.key))
      wasSaved(appended, by: save.author)
      // From now on, live objects read the changes from the log. They must be read again even if a refresh has already
      // moved the context to this position.
      reread(save.changes.changes.keys)
      recordLiveObjects()
      catchUp()
      return SaveResult(appended, in: store)
    case .failure(let refusal):
      let above = overlay
      overlay = save.changes
      overlay.append(above)
      if leavesRedoInDraft {
        overlay.forgetRedo()
        draft?.rewritten(overlay, undoing: nil, in: self)
      }
      take(save.takenDrafts)
      // Merging the layers can cancel out a deletion in one and an insertion in the other.
      reread(above.changes.keys)
      catchUp()
      if case .cancelled = refusal { throw CancellationError() }
      // No other refusal is final.
      guard case .error(let error) = refusal else { return SaveResult(nothingAt: position, in: store) }
      throw withOwnRules(error)
    }
  }

  /// Records the deletions that were consequences of a save, and the transactions that this context saved.
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
    // If there are conflicts, the writer decides.
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
