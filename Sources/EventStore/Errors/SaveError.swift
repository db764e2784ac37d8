import RepriseObjectModel

/// Why a save into the log was refused. Unless a case says otherwise, nothing was written and the changes are still
/// pending.
public enum SaveError: RepriseError {
  /// The changes are in conflict with saves of others. Resolve or discard each conflict, then save again.
  case conflicts([Conflict])
  /// Objects of the context could not be read, so a save might overwrite values unseen. `refresh()`, then save again.
  case unreadable([AnyObjectID])
  /// Properties cannot hold these values. Assign others, or discard the changes to these objects.
  case invalidValues([InvalidValue])
  /// Objects would break rules of their models: of values, of relationships, of the object as a whole; or they have a
  /// value that must be unique, and that another object has, which others may have saved meanwhile. Assign other
  /// values, or discard the changes to these objects.
  case violations([RuleViolation])
  /// Others have saved, since this context read it, what it would have read otherwise: these objects, or none that can
  /// be named, as where a fetch would find others. Only of contexts whose saves are serialisable. `refresh()`, decide
  /// anew, then save again.
  case overtaken([AnyObjectID])
  /// The save has more events than one transaction may have. Save in parts.
  case tooLarge(events: Int, limit: Int)
  /// An object, or the whole transaction, exceeds the greatest size that the store can hold in one piece. Save in
  /// parts, and keep large data in separate files.
  case tooLong(limit: Int)
  /// The store was closed.
  case closed
  /// The store could not be written.
  case store(StoreError)
  /// The disk failed during the commit, so the transaction may or may not be in the log. Close the store, open it again
  /// and call `position(ofTransaction:)` of ``Store``.
  case outcomeUnknown(transaction: UniqueID)
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
      "\(Self.counted(objects.count, "object")) could not be read, first \(objects.first?.description ?? "none"). "
        + "Nothing was saved. Call refresh(), then save again; if it stays so, verify the store."
    case .invalidValues(let values):
      "\(Self.counted(values.count, "value")) cannot be saved: "
        + values.prefix(3).map(\.description).joined(separator: "; ") + (values.count > 3 ? "; …" : "")
        + ". Nothing was saved. Assign others, or discard the changes to these objects."
    case .violations(let violations):
      "\(violations.count == 1 ? "A rule is" : "\(violations.count) rules are") broken: "
        + "\(RuleViolation.list(violations)). Nothing was saved. Assign other values, or discard the changes to these "
        + "objects."
    case .overtaken(let objects):
      "Others have saved \(objects.first.map { "\($0)\(objects.count > 1 ? " and more" : "")" } ?? "objects") "
        + "since the context read it or looked for it. Nothing was saved. Call refresh(), decide anew, then save again."
    case .tooLarge(let events, let limit):
      "A save of \(events) events is over the limit of \(limit). Nothing was saved. Save in parts."
    case .tooLong(let limit):
      "An object, or all that the save changes, takes more than \(limit) bytes. Nothing was saved. Save in parts, and "
        + "keep large data in files of their own."
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
  /// Objects of the context could not be read. `refresh()` the root context, then save again.
  case unreadable([AnyObjectID])
  /// Objects would break rules of their models in the parent. Assign other values, or discard the changes to these
  /// objects.
  case violations([RuleViolation])
}

extension ChildSaveError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .conflicts(let conflicts): SaveError.text(conflicts, with: "changes of the parent")
    case .unreadable(let objects): SaveError.unreadable(objects).description
    case .violations(let violations): SaveError.violations(violations).description
    }
  }
}
