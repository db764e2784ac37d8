import RepriseLog
import RepriseObjectModel

/// All reasons why a call refused to save or merge changes. The call changed nothing.
///
/// Every call that merges changes reports its refusal by this type. So a program can handle refusals in one place:
///
/// ```swift
/// } catch SaveError.refused(let refusal), RevertError.refused(let refusal) {
///   for conflict in refusal.conflicts { show(conflict) }
///   for violation in refusal.violations { show(violation) }
/// }
/// ```
public struct SaveRefusal: Equatable, Sendable {
  /// A call that merges changes and may refuse them.
  @nonexhaustive
  public enum Operation: Equatable, Sendable {
    /// The save of a root context into the log.
    case save
    /// The save of a child context into its parent.
    case childSave
    /// The application of a ``StoreDifference`` to a context.
    case difference
    /// The reversal of the transaction at this position.
    case revert(Position)
  }

  /// The call that refused the changes.
  public let operation: Operation
  /// The conflicts with other changes, ordered by the creation of their objects.
  ///
  /// Resolve or discard each of them, or repeat the call with a ``MergePolicy`` that decides them.
  public let conflicts: [Conflict]
  /// The rules of the models that the outcome would break, including unique values that another object has.
  ///
  /// Assign other values, or discard the changes to these objects.
  public let violations: [RuleViolation]
  /// The values that their properties cannot hold. Only saves into the log have them.
  ///
  /// Assign other values, or discard the changes to these objects.
  public let invalidValues: [InvalidValue]
  /// For a revert, the later transactions behind each conflict, oldest first.
  ///
  /// A conflict without transactions is a conflict with uncommitted changes. Other calls leave this empty.
  public let transactions: [Conflict: [Position]]

  /// `nil` if there is no reason to refuse the changes.
  package init?(
    of operation: Operation, _ conflicts: [Conflict], _ violations: [RuleViolation],
    _ invalidValues: [InvalidValue] = [],
    transactions: [Conflict: [Position]] = [:]
  ) {
    if conflicts.isEmpty, violations.isEmpty, invalidValues.isEmpty { return nil }
    self.operation = operation
    self.conflicts = conflicts
    self.violations = violations
    self.invalidValues = invalidValues
    self.transactions = transactions
  }
}

extension SaveRefusal: CustomStringConvertible {
  /// The failure, all kinds of reasons, and the next step.
  public var description: String { "\(failure) \(reasons) \(advice)" }

  private var failure: String {
    switch operation {
    case .save: "This save wrote nothing."
    case .childSave: "Nothing was saved into the parent context."
    case .difference: "The difference was not applied."
    case .revert(let position): "Transaction \(position) was not reverted."
    }
  }

  private var reasons: String {
    [
      Self.reason(conflicts.map(text), "conflict\(others.one)", "conflicts\(others.several)"),
      Self.reason(violations.map(\.description), broken.one, broken.several),
      Self.reason(invalidValues.map(\.description), "invalid value", "invalid values"),
    ].compactMap(\.self).joined(separator: " ")
  }

  /// The other side of the conflicts. Empty with a reference to an unsaved object, which conflicts with nothing.
  private var others: (one: String, several: String) {
    if conflicts.contains(where: { if case .unsavedTarget = $0.kind { true } else { false } }) { return ("", "") }
    return switch operation {
    case .save: (" with another save", " with other saves")
    case .childSave: (" with a change of the parent", " with changes of the parent")
    case .difference: (" with another change", " with other changes")
    case .revert: (" with a later change", " with later changes")
    }
  }

  /// A save has objects that break rules. A reversal or a difference would first make them.
  private var broken: (one: String, several: String) {
    switch operation {
    case .save, .childSave: ("broken rule", "broken rules")
    case .difference, .revert: ("rule would be broken", "rules would be broken")
    }
  }

  /// The description of a conflict. For a revert, it has the later transactions.
  package func text(_ conflict: Conflict) -> String {
    guard case .revert(let position) = operation else { return conflict.description }
    let transactions = transactions[conflict] ?? []
    let conflict = conflict.description(reverting: position)
    if transactions.isEmpty { return "\(conflict) (an uncommitted change)" }
    let names = transactions.prefix(3).map(\.description).joined(separator: ", ")
    let noun = transactions.count == 1 ? "transaction" : "transactions"
    return "\(conflict) (\(noun) \(names)\(transactions.count > 3 ? ", …" : ""))"
  }

  private static func reason(_ items: [String], _ one: String, _ several: String) -> String? {
    if items.isEmpty { return nil }
    return "\(items.count) \(items.count == 1 ? one : several): \(items.prefix(3).joined(separator: "; "))"
      + (items.count > 3 ? "; …." : ".")
  }

  /// For the save of a context.
  private var adviceOnConflicts: String {
    let others = conflicts.filter { $0.kind != .unrestorable }
    let isAnyLost = others.count < conflicts.count
    let lost = "Insert a new object for each object that cannot be restored, and discard the changes to the old one. "
    let which = isAnyLost ? "each other conflict" : "each conflict"
    let resolve = "Resolve \(which) with `resolve(_:with:)`, or discard the changes to its object. "
    return (isAnyLost ? lost : "") + (others.isEmpty ? "" : resolve)
  }

  private var advice: String {
    let hasConflicts = !conflicts.isEmpty
    let hasValues = !violations.isEmpty || !invalidValues.isEmpty
    let isAnyLost = conflicts.contains { $0.kind == .unrestorable }
    return switch operation {
    case .save, .childSave:
      adviceOnConflicts
        + (hasValues ? "Assign other values, or discard the changes to these objects. " : "") + "Then save again."
    case .difference, .revert:
      (hasValues ? "Change or delete the objects that are in the way, or relax these rules in the models. " : "")
        + "\(hasValues ? "Then repeat" : "Repeat") the call"
        + (hasConflicts ? " with a merge policy that decides each conflict." : ".")
        + (isAnyLost ? " An object that cannot be restored needs `theirs`, which keeps it deleted." : "")
    }
  }
}
