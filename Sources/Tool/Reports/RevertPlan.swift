import RepriseCore

/// The reversal of a transaction: first a preview with the conflicts, then the save.
package struct RevertPlan {
  /// The decision about a conflict with a later change.
  package enum Answer: String, Codable, Sendable, CaseIterable {
    /// Restores the value from before the transaction.
    case mine
    /// Keeps the later change.
    case theirs
  }

  package let store: Store
  package let position: Position
  /// The decision about each conflict without an entry in ``answers``. `nil` leaves these conflicts open.
  package var answer: Answer?
  /// The decisions by ``RevertPreview/Conflict/index``.
  package var answers: [Int: Answer] = [:]

  /// - Parameter store: For ``save(as:by:)``, a store that can be edited.
  package init(of position: Position, in store: Store) { (self.position, self.store) = (position, store) }

  /// The changes that ``save(as:by:)`` would make. An open conflict is shown as if the later change stayed.
  ///
  /// - Throws: `RevertError` if the transaction cannot be reverted, or `StoreError`.
  package func preview() throws -> RevertPreview {
    let context = RootContext(store)
    let staged = try stage(in: context)
    let conflicts = staged.conflicts.enumerated().map { index, conflict in
      RevertPreview.Conflict(index, conflict, answer: answer(to: conflict, at: index))
    }
    return RevertPreview(
      position: position.number, changes: try changes(in: context), conflicts: conflicts,
      violations: staged.violations.map(\.description))
  }

  /// Saves the reversal as a transaction, and returns its position.
  ///
  /// - Parameter shown: The preview that the user has agreed to.
  /// - Throws: `RevertPlanError` if the preview is outdated, a conflict is open, a rule would be broken, or nothing is
  ///   left to revert. `RevertError`, and `SaveError` if another save came between.
  package nonisolated(nonsending) func save(as shown: RevertPreview, by author: String?) async throws -> Position {
    if try !preview().isSame(as: shown) { throw RevertPlanError.outdated(position) }
    let context = RootContext(store, author: author)
    let staged = try stage(in: context)
    let open = staged.conflicts.enumerated().count { answer(to: $1, at: $0) == nil }
    if open > 0 { throw RevertPlanError.openConflicts(position, open) }
    if !staged.violations.isEmpty { throw RevertPlanError.brokenRules(position, staged.violations.count) }
    if context.changes.isEmpty { throw RevertPlanError.nothingLeft(position) }
    return try await context.save()
  }

  private struct Staged {
    var conflicts: [Described] = []
    var violations: [RuleViolation] = []
  }

  fileprivate struct Described {
    let conflict: Conflict
    let sentence: String
    let transactions: [Position]
  }

  /// Stages the reversal in a context. The answer to one conflict may cause another, so this tries until a try has no
  /// new conflict. The conflicts are in the same order each time.
  private func stage(in context: RootContext) throws -> Staged {
    var staged = Staged()
    while true {
      var decisions: [Conflict: Conflict.Decision] = [:]
      for (index, found) in staged.conflicts.enumerated() {
        decisions[found.conflict] = answer(to: found, at: index) == .mine ? .mine : .theirs
      }
      do {
        try context.revert(transactionAt: position, merging: .custom { [decisions] in decisions[$0] ?? .refuse })
        staged.violations = []
        return staged
      } catch RevertError.refused(let refusal) {
        staged.violations = refusal.violations
        let others = refusal.conflicts.filter { decisions[$0] == nil }
        if others.isEmpty { return staged }
        staged.conflicts += others.map {
          Described(conflict: $0, sentence: refusal.text($0), transactions: refusal.transactions[$0] ?? [])
        }
      }
    }
  }

  private func answer(to found: Described, at index: Int) -> Answer? {
    guard let answer = answers[index] ?? answer else { return nil }
    return found.conflict.choices.contains(answer) ? answer : nil
  }

  /// The staged changes of a context, by object.
  private func changes(in context: RootContext) throws -> [ChangeText] {
    let (changes, before) = (context.changes, RootContext(store))
    var found: [LoggedTransaction.Change] = []
    for id in changes.inserted + changes.updated {
      guard let object = try context.find(id) else { continue }
      found.append(
        LoggedTransaction.Change(
          object: id, kind: changes.inserted.contains(id) ? .inserted : .updated, properties: object.pendingChanges))
    }
    for id in changes.deleted {
      guard let object = try before.find(id) else { continue }
      let entity = type(of: object).entity
      let values = try (entity.attributes + entity.relationships.filter { $0.kind == .toOne }).compactMap { property in
        let value = try object[property.name]
        return value == .null
          ? nil : PropertyDifference(property: property.name, form: .value(from: value, to: .null))
      }
      found.append(LoggedTransaction.Change(object: id, kind: .deleted, properties: values))
    }
    return found.sorted { $0.object < $1.object }.map { ChangeText($0, of: store) }
  }
}

extension Conflict {
  /// The answers that the library accepts. The log lacks the values of an object that cannot be restored.
  fileprivate var choices: [RevertPlan.Answer] { kind == .unrestorable ? [.theirs] : RevertPlan.Answer.allCases }
}

extension RevertPreview.Conflict {
  fileprivate init(_ index: Int, _ found: RevertPlan.Described, answer: RevertPlan.Answer?) {
    let conflict = found.conflict
    self.init(
      index: index, object: conflict.object.description, property: conflict.attribute, sentence: found.sentence,
      base: ValueJSON(value: conflict.base), mine: ValueJSON(value: conflict.mine),
      theirs: ValueJSON(value: conflict.theirs), transactions: found.transactions.map(\.number),
      choices: conflict.choices, answer: answer)
  }
}

/// The reason why ``RevertPlan/save(as:by:)`` saved nothing.
package enum RevertPlanError: Error, Equatable {
  /// So many conflicts with later changes have no answer.
  case openConflicts(Position, Int)
  /// The reversal would break so many rules.
  case brokenRules(Position, Int)
  /// Later changes left nothing to revert.
  case nothingLeft(Position)
  /// The reversal would make other changes than its preview.
  case outdated(Position)
}

extension RevertPlanError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .openConflicts(let position, let count):
      "Transaction \(position) was not reverted, because later changes of \(count) "
        + "\(count == 1 ? "value or object" : "values or objects") conflict with the reversal. Restore the earlier "
        + "values with '--mine', or keep the later changes with '--theirs'."
    case .brokenRules(let position, let count):
      "Transaction \(position) was not reverted, because the reversal would break \(count) "
        + "\(count == 1 ? "rule" : "rules"). Change or delete the objects in the way, then try again."
    case .nothingLeft(let position):
      "Transaction \(position) was not reverted, because later changes replaced all of its changes. Revert a later "
        + "transaction instead."
    case .outdated(let position):
      "Transaction \(position) was not reverted, because another save has changed the same objects meanwhile. Look at "
        + "the changes again."
    }
  }
}
