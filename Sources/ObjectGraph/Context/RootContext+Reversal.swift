import RepriseEventStore
import RepriseObjectModel

extension RootContext {
  /// Reverts a transaction: stages its reversal as an uncommitted step.
  ///
  /// The transaction may be old, and of any author. The next save appends the step as a separate transaction, whose
  /// ``LoggedTransaction/undoes`` names the reversed one. Reversing a reversal is a redo: see
  /// ``LoggedTransaction/supersedes``.
  ///
  /// The reversal deletes the objects that the transaction inserted, and restores the old values of the properties that
  /// it changed. Deleted objects return with their ID, values, relationships and places, including objects that delete
  /// rules deleted. The reversal is merged into the current state like a child's save. For example, a counter loses the
  /// amount that the transaction added, and a set loses the elements that it inserted. A property that already has the
  /// old value stays unchanged.
  ///
  /// If the reversal conflicts with later changes, the merge policy decides. ``MergePolicy/custom(_:)`` decides each
  /// conflict. `mine` restores the value from before the transaction, and `theirs` keeps the later change.
  ///
  /// ```swift
  /// do {
  ///   try context.revert(transactionAt: transaction.position)
  /// } catch RevertError.refused(let refusal) where refusal.violations.isEmpty {
  ///   let answers = await ask(about: refusal.conflicts)
  ///   try context.revert(transactionAt: transaction.position, merging: .custom { answers[$0] ?? .theirs })
  /// }
  /// try await context.save()
  /// ```
  ///
  /// Costs time in proportion to the events of the transaction. Reversing an edit of a long text also reads the later
  /// versions of its object.
  ///
  /// - Parameters:
  ///   - position: The position of the transaction. If the context is at an earlier position, it moves to the head.
  ///   - policy: The policy for conflicts; ``EditingContext/mergePolicy`` by default.
  /// - Returns: False if later changes left nothing to reverse. Then nothing is staged.
  /// - Throws: ``RevertError``. Then nothing has changed. The error is `uncommittedChanges` if the context has
  ///   uncommitted changes other than staged reversals, if a save is under way, or within a group.
  @discardableResult
  public func revert(transactionAt position: Position, merging policy: MergePolicy? = nil) throws -> Bool {
    try stage(position, .request, policy ?? mergePolicy)
  }

  private func stage(
    _ position: Position, _ origin: Reversal.Origin, _ policy: MergePolicy
  ) throws(RevertError) -> Bool {
    // Reversals need separate steps, because the save makes a transaction of each step.
    guard !isSaving, overlay.steps.areReversals, !grouping.isInGroup else { throw .uncommittedChanges }
    let reversal = try store.log.reversal(of: position, after: &reversedObjects)
    let outcome = try merged(reversal, policy)
    let transactions = try transactions(behind: outcome.conflicts, after: position)
    let violations = outcome.violations + violations(among: outcome.unvalidated)
    if let refusal = SaveRefusal(
      of: .revert(position), outcome.conflicts, violations, transactions: transactions)
    {
      throw .refused(refusal)
    }
    if outcome.changes.isEmpty { return false }
    grouping.begin(
      reversal.name, Reversal(undoes: position, supersedes: reversal.supersedes, origin: origin))
    defer { grouping.end() }
    apply(outcome.changes)
    return true
  }

  private func merged(_ reversal: TransactionReversal, _ policy: MergePolicy) throws(RevertError) -> MergeOutcome {
    do throws(StoreError) {
      if reversal.position > position { try moveToWhatIsBelow() }
      return try merged(reversal.changes, policy)
    } catch {
      throw .store(error)
    }
  }

  private func transactions(
    behind conflicts: [Conflict], after position: Position
  ) throws(RevertError) -> [Conflict: [Position]] {
    var transactions: [Conflict: [Position]] = [:]
    for conflict in conflicts {
      let (object, property) = conflict.laterWork
      do throws(StoreError) {
        transactions[conflict] = try store.log.positions(
          ofChangesTo: object, property: property, after: position, upTo: self.position)
      } catch {
        throw .store(error)
      }
    }
    return transactions
  }

  // MARK: Undo and redo of saves

  /// The next step of the log for undo or redo. `nil` if there is none, or while there are uncommitted steps of another
  /// kind. Steps that are staged already are skipped.
  func nextSavedStep(_ direction: UndoDirection) throws(StoreError) -> RevertibleTransaction? {
    guard undoesSaves, !isSaving, !grouping.isInGroup, overlay.steps.areReversals else { return nil }
    var limit: Position?
    if let staged = overlay.steps.lastReversal {
      // A redo is not staged above a staged undo, and an undo not above a staged redo. Each removes the other instead.
      guard staged.origin == (direction == .undo ? .undo : .redo) else { return nil }
      limit = staged.undoes
    }
    // Cleared first: if the look-up throws, nothing is known.
    var known = knownUndo ?? UndoableTransactions(by: undoOwner)
    known.owner = undoOwner
    knownUndo = nil
    try store.log.look(for: &known, upTo: position) { known in
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

  /// The next step that may still have changes to revert.
  private func next(in stack: UndoStack, before limit: Position?) -> RevertibleTransaction? {
    var limit = limit
    while let step = stack.next(before: limit) {
      if !passedSteps.contains(step.position) { return step }
      limit = step.position
    }
    return nil
  }

  func stageNextSavedStep(_ direction: UndoDirection) {
    do throws(RevertError) {
      let next: RevertibleTransaction?
      do throws(StoreError) { next = try nextSavedStep(direction) } catch { throw .store(error) }
      // If nothing is left to revert, this does not try an earlier step, because the user was shown the name of this
      // step.
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
  /// The object whose later changes are in conflict with a reversal, and the property. `nil` is any property.
  fileprivate var laterWork: (AnyObjectID, property: String?) {
    switch kind {
    case .attribute(let name), .addedToDeleted(let name, _): (object, name)
    case .taken(let name, let other): (other, name)
    case .missingTarget, .unsavedTarget: (mine.reference ?? object, nil)
    case .deletedByThem, .unrestorable, .deletedByMe, .insertedTwice: (object, nil)
    }
  }
}
