import RepriseEventStore
import RepriseObjectModel

extension RootContext {
  /// Stages what takes a transaction of the log back, whoever saved it and whenever: an uncommitted step, which the
  /// next save appends as a transaction that says what it takes back (``LoggedTransaction/undoes``).
  ///
  /// What it inserted is deleted, what it changed gets the values before, and what it deleted comes back with ID,
  /// values, relationships and places, whatever delete rules took along included. It is merged with the present, as a
  /// child's save is with its parent: a counter loses what the transaction added, a set what it inserted, and a
  /// property that has the value already stays. To take back a reversal is to redo: see
  /// ``LoggedTransaction/supersedes``.
  ///
  /// Where later work stands in the way, the policy decides, with ``MergePolicy/custom(_:)`` about each place on its
  /// own: `mine` brings back what the transaction found, `theirs` leaves the later work.
  ///
  /// ```swift
  /// do {
  ///   try context.stageReversal(of: transaction.position)
  /// } catch let error as ReversalError where !error.overlaps.isEmpty {
  ///   let answers = await ask(about: error.overlaps)
  ///   try context.stageReversal(of: transaction.position, merging: .custom { answers[$0] ?? .theirs })
  /// }
  /// try await context.save()
  /// ```
  ///
  /// Costs the transaction's events; of an edit of a long text also the object's later versions.
  ///
  /// - Parameters:
  ///   - position: The transaction's; a context behind it moves to the head.
  ///   - policy: What to do about overlaps; ``EditingContext/mergePolicy`` by default.
  /// - Returns: False if nothing of the transaction is left to take back. Then nothing is staged.
  /// - Throws: ``ReversalError``; then nothing has changed.
  @discardableResult
  public func stageReversal(of position: Position, merging policy: MergePolicy? = nil) throws -> Bool {
    try stage(position, .request, policy ?? mergePolicy)
  }

  private func stage(
    _ position: Position, _ origin: Reversal.Origin, _ policy: MergePolicy
  ) throws(ReversalError) -> Bool {
    // In a step of their own: the save makes a transaction of each.
    guard !isSaving, overlay.steps.areReversals, !grouping.isInGroup else { throw .uncommittedChanges }
    let reversal = try store.reversal(of: position, after: &reversedObjects)
    let outcome = try merged(reversal, policy)
    let overlaps = try overlaps(outcome.conflicts, after: position)
    let violations = outcome.violations + violations(among: outcome.unvalidated)
    if let refusal = ReversalError.refusal(position, overlaps, violations) { throw refusal }
    if outcome.changes.isEmpty { return false }
    grouping.begin(
      reversal.name, Reversal(undoes: position, supersedes: reversal.supersedes, origin: origin))
    defer { grouping.end() }
    apply(outcome.changes)
    return true
  }

  private func merged(_ reversal: TransactionReversal, _ policy: MergePolicy) throws(ReversalError) -> MergeOutcome {
    do throws(StoreError) {
      if reversal.position > position { try moveToWhatIsBelow() }
      return try merged(reversal.changes, policy)
    } catch {
      throw .store(error)
    }
  }

  private func overlaps(
    _ conflicts: [Conflict], after position: Position
  ) throws(ReversalError) -> [ReversalError.Overlap] {
    var overlaps: [ReversalError.Overlap] = []
    for conflict in conflicts {
      let (object, property) = conflict.laterWork
      do throws(StoreError) {
        let transactions = try store.positions(
          ofChangesTo: object, property: property, after: position, upTo: self.position)
        overlaps.append(ReversalError.Overlap(conflict, transactions: transactions))
      } catch {
        throw .store(error)
      }
    }
    return overlaps
  }

  // MARK: Undo and redo of what was saved

  /// The step of the log with which undo or redo goes on; `nil` if there is none, or while there are uncommitted steps
  /// of another sort. Before what is staged already.
  func nextSavedStep(_ direction: UndoDirection) throws(StoreError) -> UndoStep? {
    guard undoesSaves, !isSaving, !grouping.isInGroup, overlay.steps.areReversals else { return nil }
    var limit: Position?
    if let staged = overlay.steps.lastReversal {
      // A redo is not staged above an undo, nor the other way round: they take each other away.
      guard staged.origin == (direction == .undo ? .undo : .redo) else { return nil }
      limit = staged.undoes
    }
    // If it fails, nothing is known any more.
    var known = knownUndo ?? UndoableTransactions(by: undoOwner)
    known.owner = undoOwner
    knownUndo = nil
    try store.look(for: &known, upTo: position) { known in
      switch direction {
      case .undo: next(in: known.undo, before: limit) != nil
      case .redo: known.hasEdit || next(in: known.redo, before: limit) != nil
      }
    }
    knownUndo = known
    return next(in: direction == .undo ? known.undo : known.redo, before: limit)
  }

  private var undoOwner: UndoOwner {
    if let author { return .author(author) }
    return name.map { .context(named: $0) } ?? .transactions(ownSaves)
  }

  /// The next step of which something may be left.
  private func next(in stack: UndoStack, before limit: Position?) -> UndoStep? {
    var limit = limit
    while let step = stack.next(before: limit) {
      if !passedSteps.contains(step.position) { return step }
      limit = step.position
    }
    return nil
  }

  func stageNextSavedStep(_ direction: UndoDirection) {
    do throws(ReversalError) {
      let next: UndoStep?
      do throws(StoreError) { next = try nextSavedStep(direction) } catch { throw .store(error) }
      // Not the step before it instead: people were shown the name of this one.
      if let step = next, !(try stage(step.position, direction == .undo ? .undo : .redo, mergePolicy)) {
        passedSteps.append(step.position)
        didChange()
        throw .nothingLeft(step.position)
      }
      undoFailure = nil
    } catch {
      undoFailure = error
    }
  }
}

extension Conflict {
  /// Where the later work is that a reversal is in conflict with: an object, and one of its properties or all.
  fileprivate var laterWork: (AnyObjectID, property: String?) {
    switch kind {
    case .attribute(let name), .addedToDeleted(let name, _): (object, name)
    case .taken(let name, let other): (other, name)
    case .missingTarget, .unsavedTarget: (mine.reference ?? object, nil)
    case .deletedByThem, .unrestorable, .deletedByMe, .insertedTwice: (object, nil)
    }
  }
}
