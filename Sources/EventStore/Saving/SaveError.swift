import RepriseObjectModel

/// Why a save into the log was refused. Unless a case says otherwise, nothing was written and the changes are still
/// pending.
public enum SaveError: RepriseError {
  /// The changes are in conflict with saves of others. Resolve or discard each conflict, then save again.
  case conflicts([Conflict])
  /// Objects of the context could not be read, for these reasons, so a save might overwrite values unseen. Call
  /// `refresh()`, then save again. If a value was assigned to such an object, `discard()` forgets that.
  case unreadable([AnyObjectID: StoreError])
  /// Properties cannot hold these values. Assign others, or discard the changes to these objects.
  case invalidValues([InvalidValue])
  /// Objects would break rules of their models: of values, of relationships, of the object as a whole; or they have a
  /// value that must be unique, and that another object has, which others may have saved meanwhile. Assign other
  /// values, or discard the changes to these objects.
  case violations([RuleViolation])
  /// The save is refused for reasons of several of the kinds above, of which it tells all: what to resolve, what to
  /// assign. ``conflicts``, ``violations`` and ``invalidValues`` tell them of every refusal.
  case several(conflicts: [Conflict], violations: [RuleViolation], invalidValues: [InvalidValue])
  /// Others have saved, since this context read it, what it would have read otherwise: these objects, or none that can
  /// be named, as where a fetch would find others. Only of contexts whose saves are serialisable. `refresh()`, decide
  /// anew, then save again.
  case overtaken([AnyObjectID])
  /// The save has more events than one transaction may have. Save in parts. Where delete rules concern so many objects,
  /// discard the deletion, and call `BackgroundContext.deleteAll(_:)`, which deletes them in several saves.
  case tooLarge(events: Int, limit: Int)
  /// An object, or the whole transaction, exceeds the greatest size that the store can hold in one piece. Save in
  /// parts, and make large data attributes of the type `Blob`. If one deletion concerns so much, discard it, and call
  /// `BackgroundContext.deleteAll(_:)`, which deletes the objects in several saves.
  case tooLong(limit: Int)
  /// `BackgroundContext.deleteAll(_:)` had saved a part of a deletion when the rest broke these rules, for example
  /// because of another save in between. So many objects are deleted or changed, and stay so. The remaining objects
  /// keep the rules, and no reference leads to a deleted object. Change the objects that the violations name, then call
  /// `deleteAll` again for the rest.
  case deletedInPart(objects: Int, violations: [RuleViolation])
  /// The store was closed.
  case closed
  /// The store could not be written.
  case store(StoreError)
  /// The disk failed during the commit, so the transaction may or may not be in the log. Close the store, open it again
  /// and call `position(ofTransaction:)` of ``Store``.
  case outcomeUnknown(transaction: UniqueID)
}

extension SaveError {
  /// The conflicts for which the save was refused, alone or among other reasons.
  public var conflicts: [Conflict] {
    switch self {
    case .conflicts(let conflicts), .several(let conflicts, _, _): conflicts
    default: []
    }
  }

  /// The broken rules for which the save was refused, alone or among other reasons.
  public var violations: [RuleViolation] {
    switch self {
    case .violations(let violations), .several(_, let violations, _), .deletedInPart(_, let violations): violations
    default: []
    }
  }

  /// The values that cannot be saved, alone or among other reasons.
  public var invalidValues: [InvalidValue] {
    switch self {
    case .invalidValues(let values), .several(_, _, let values): values
    default: []
    }
  }

  /// All that prevents a save; `nil` if nothing does.
  package static func refusal(
    _ conflicts: [Conflict], _ violations: [RuleViolation], _ invalidValues: [InvalidValue]
  ) -> SaveError? {
    switch (conflicts.isEmpty, violations.isEmpty, invalidValues.isEmpty) {
    case (true, true, true): nil
    case (false, true, true): .conflicts(conflicts)
    case (true, false, true): .violations(violations)
    case (true, true, false): .invalidValues(invalidValues)
    default: .several(conflicts: conflicts, violations: violations, invalidValues: invalidValues)
    }
  }
}

extension SaveError: CustomStringConvertible {
  static func text(_ conflicts: [Conflict], with others: String) -> String {
    "\(counted(conflicts.count, "conflict")) with \(others): "
      + conflicts.prefix(3).map(\.description).joined(separator: "; ") + (conflicts.count > 3 ? "; …" : "")
      + ". Nothing was saved. Resolve or discard \(conflicts.count == 1 ? "it" : "them"), then save again."
  }

  private static func counted(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }

  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .conflicts(let conflicts): Self.text(conflicts, with: "other saves")
    case .unreadable(let objects):
      "\(Self.counted(objects.count, "object")) could not be read. "
        + (objects.min { $0.key < $1.key }.map { "\($0.key): \($0.value) " } ?? "")
        + "Nothing was saved. Call refresh(), or discard() what you assigned to such objects, then save again. If it "
        + "stays so, verify the store."
    case .invalidValues(let values):
      "\(Self.counted(values.count, "value")) cannot be saved: "
        + values.prefix(3).map(\.description).joined(separator: "; ") + (values.count > 3 ? "; …" : "")
        + ". Nothing was saved. Assign others, or discard the changes to these objects."
    case .violations(let violations):
      "\(violations.count == 1 ? "A rule is" : "\(violations.count) rules are") broken: "
        + "\(RuleViolation.list(violations)). Nothing was saved. Assign other values, or discard the changes to these "
        + "objects."
    case .several(let conflicts, let violations, let values):
      [
        conflicts.isEmpty ? nil : Self.conflicts(conflicts), violations.isEmpty ? nil : Self.violations(violations),
        values.isEmpty ? nil : Self.invalidValues(values),
      ].compactMap { $0?.description }.joined(separator: " ")
    case .overtaken(let objects):
      "Others have saved \(objects.first.map { "\($0)\(objects.count > 1 ? " and more" : "")" } ?? "objects") "
        + "since the context read it or looked for it. Nothing was saved. Call refresh(), decide anew, then save again."
    case .tooLarge(let events, let limit):
      "A save of \(events) events is over the limit of \(limit). Nothing was saved. Save in parts. If one deletion "
        + "concerns so many objects, discard it and call BackgroundContext.deleteAll, which needs several saves."
    case .tooLong(let limit):
      "An object, or all that the save changes, takes more than \(limit) bytes. Nothing was saved. Save in parts, and "
        + "keep large data in attributes of the type Blob. If one deletion concerns so much, discard it and call "
        + "BackgroundContext.deleteAll, which needs several saves."
    case .deletedInPart(let objects, let violations):
      "A part of the deletion is saved: \(Self.counted(objects, "object")) deleted or changed. The rest would "
        + "break \(violations.count == 1 ? "a rule" : "\(violations.count) rules"): "
        + "\(RuleViolation.list(violations)). Change these objects, then call BackgroundContext.deleteAll again for "
        + "the rest."
    case .closed: "The store was closed before the save. The changes are not in the log. Open the store again."
    case .store(let error): "Nothing was saved. \(error)"
    case .outcomeUnknown(let transaction):
      "The disk failed while transaction \(transaction) was being committed: it may be in the log or not. Close the "
        + "store, mend the disk, open the store, and ask it for `position(ofTransaction:)`."
    }
  }
}

/// Why a save of a child into its parent was refused. Neither has changed.
public enum ChildSaveError: RepriseError {
  /// The child's changes are in conflict with changes that the parent made meanwhile. Resolve or discard each conflict,
  /// then save again.
  case conflicts([Conflict])
  /// Objects of the context could not be read, for these reasons. `refresh()` the root context, or `discard()` what was
  /// assigned to them, then save again.
  case unreadable([AnyObjectID: StoreError])
  /// Objects would break rules of their models in the parent. Assign other values, or discard the changes to these
  /// objects.
  case violations([RuleViolation])
  /// The save is refused for both, of which it tells all.
  case several(conflicts: [Conflict], violations: [RuleViolation])
}

extension ChildSaveError {
  /// The conflicts for which the save was refused, alone or besides broken rules.
  public var conflicts: [Conflict] {
    switch self {
    case .conflicts(let conflicts), .several(let conflicts, _): conflicts
    default: []
    }
  }

  /// The broken rules for which the save was refused, alone or besides conflicts.
  public var violations: [RuleViolation] {
    switch self {
    case .violations(let violations), .several(_, let violations): violations
    default: []
    }
  }

  /// All that prevents a save; `nil` if nothing does.
  package static func refusal(_ conflicts: [Conflict], _ violations: [RuleViolation]) -> ChildSaveError? {
    switch (conflicts.isEmpty, violations.isEmpty) {
    case (true, true): nil
    case (false, true): .conflicts(conflicts)
    case (true, false): .violations(violations)
    case (false, false): .several(conflicts: conflicts, violations: violations)
    }
  }
}

extension ChildSaveError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .conflicts(let conflicts): SaveError.text(conflicts, with: "changes of the parent")
    case .unreadable(let objects): SaveError.unreadable(objects).description
    case .violations(let violations): SaveError.violations(violations).description
    case .several(let conflicts, let violations):
      "\(Self.conflicts(conflicts).description) \(Self.violations(violations).description)"
    }
  }
}
