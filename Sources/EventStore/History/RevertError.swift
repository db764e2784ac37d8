import RepriseObjectModel

/// Why a transaction could not be taken back. Nothing was staged.
@nonexhaustive
public enum RevertError: RepriseError {
  /// Later work stands where the transaction did: saves of others or of the author, or uncommitted changes. Stage the
  /// reversal again with a merge policy, which may decide each overlap on its own.
  case overlaps(Position, [Overlap])
  /// What the transaction changed would break rules of the models if it came back: a value that must be unique is
  /// another object's by now.
  case violations(Position, [RuleViolation])
  /// It is refused for both, of which it tells all.
  case several(Position, overlaps: [Overlap], violations: [RuleViolation])
  /// The context has uncommitted changes of another sort. Save or discard them first: a reversal becomes a transaction
  /// of its own.
  case uncommittedChanges
  /// Nothing of the transaction is left to take back or to take up again: later work replaced or deleted all that it
  /// changed, or had the same outcome. Only `RootContext.undoFailure` has this.
  case nothingLeft(Position)
  /// The log ends before the position, or the position is 0.
  case notFound(Position, head: Position)
  /// The transaction cannot be told the other way round, and never will.
  case irreversible(Position, Reason)
  /// Objects that the reversal rests on could not be read.
  case store(StoreError)

  /// Why a transaction cannot be told the other way round.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// It changed no objects: it declares models, or takes back what had no effect.
    case noChanges
    /// It changed objects of an entity, or a property, that the models of this program lack, or that was converted to
    /// another type since. The property is `nil` if it is the entity.
    case unknown(entity: String, property: String?)
    /// Values were erased from the log.
    case erased
  }

  /// A place where later work stands in the way of a reversal.
  public struct Overlap: Hashable, Sendable {
    /// The object, the property and the values: `base` is what the transaction left, `mine` what it found, and would
    /// come back, `theirs` what is there now.
    public let conflict: Conflict
    /// The later transactions that changed this, oldest first; empty if only uncommitted changes did.
    public let transactions: [Position]

    package init(_ conflict: Conflict, transactions: [Position]) {
      self.conflict = conflict
      self.transactions = transactions
    }
  }
}

extension RevertError {
  /// The overlaps for which the reversal was refused, alone or besides broken rules.
  public var overlaps: [Overlap] {
    switch self {
    case .overlaps(_, let overlaps), .several(_, let overlaps, _): overlaps
    default: []
    }
  }

  /// The broken rules for which the reversal was refused, alone or besides overlaps.
  public var violations: [RuleViolation] {
    switch self {
    case .violations(_, let violations), .several(_, _, let violations): violations
    default: []
    }
  }

  /// All that prevents a reversal; `nil` if nothing does.
  package static func refusal(
    _ position: Position, _ overlaps: [Overlap], _ violations: [RuleViolation]
  ) -> RevertError? {
    switch (overlaps.isEmpty, violations.isEmpty) {
    case (true, true): nil
    case (false, true): .overlaps(position, overlaps)
    case (true, false): .violations(position, violations)
    case (false, false): .several(position, overlaps: overlaps, violations: violations)
    }
  }
}

extension RevertError.Overlap: CustomStringConvertible {
  /// The conflict, and who made it.
  public var description: String {
    let names = transactions.prefix(3).map(\.description).joined(separator: ", ")
    if transactions.isEmpty { return "\(conflict) (uncommitted)" }
    return "\(conflict) (in \(names)\(transactions.count > 3 ? ", …" : ""))"
  }
}

extension RevertError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .overlaps(let position, let overlaps):
      "Transaction \(position) cannot be taken back as a whole, because of later work: "
        + overlaps.prefix(3).map(\.description).joined(separator: "; ") + (overlaps.count > 3 ? "; …" : "")
        + ". Nothing was staged. Stage its reversal with a merge policy that decides."
    case .violations(let position, let violations):
      "If transaction \(position) was taken back, rules would be broken: \(RuleViolation.list(violations)). Nothing "
        + "was staged. Change or delete what holds these values first."
    case .several(let position, let overlaps, let violations):
      "\(Self.overlaps(position, overlaps).description) \(Self.violations(position, violations).description)"
    case .uncommittedChanges:
      "The context has uncommitted changes, and a reversal is a transaction of its own. Save or discard them first."
    case .nothingLeft(let position):
      "Nothing was staged: nothing of transaction \(position) is left, because later work replaced or deleted all that "
        + "it changed. Call undo() or redo() again for the step before it."
    case .notFound(let position, let head):
      "The log has no transaction \(position): it has those from 1 to \(head)."
    case .irreversible(let position, .noChanges): "Transaction \(position) changed no objects."
    case .irreversible(let position, .unknown(let entity, let property)):
      "Transaction \(position) changed \(property.map { "\(entity).\($0)" } ?? entity), which the models of this "
        + "program lack. Take it back with a program that has them."
    case .irreversible(let position, .erased): "Values of transaction \(position) were erased from the log."
    case .store(let error): "Nothing was staged. \(error)"
    }
  }
}
