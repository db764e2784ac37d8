import RepriseLog
import RepriseObjectModel

/// The reason why a transaction was not reverted. Nothing was staged.
///
/// `RootContext.revert(transactionAt:)` throws it. If `undo()` or `redo()` of a saved step does nothing,
/// `RootContext.undoFailure` has it.
@nonexhaustive
public enum RevertError: RepriseError {
  /// The reversal conflicts with later changes, or would break rules of the models.
  ///
  /// `revert` throws it, and `undoFailure` has it. Revert again with a merge policy that decides each conflict. If the
  /// reversal would break rules, change or delete the objects in the way first. For example, another object may now
  /// have a value that must be unique.
  case refused(SaveRefusal)
  /// The context has uncommitted changes other than staged reversals, a save is under way, or the call is in a group.
  ///
  /// Only `revert` throws it. Save or discard the changes first, because a reversal becomes a transaction of its own.
  case uncommittedChanges
  /// The reversal would change nothing: later transactions replaced, deleted or already reverted everything that the
  /// transaction changed.
  ///
  /// Only `undoFailure` has it. Call `undo()` or `redo()` again to continue with the next step.
  case nothingLeft(Position)
  /// The log has no transaction at this position. `head` is the position of the last one.
  ///
  /// Only `revert` throws it. Pass a position from 1 to `head`.
  case notFound(Position, head: Position)
  /// This program can never revert the transaction.
  ///
  /// `revert` throws it, and `undoFailure` has it. The ``Reason`` says why. The comment of each reason has the next
  /// step.
  case irreversible(Position, Reason)
  /// Objects that the reversal depends on could not be read.
  ///
  /// `revert` throws it, and `undoFailure` has it. The ``StoreError`` says how to recover.
  case store(StoreError)

  /// The reason why a transaction cannot be reverted.
  @nonexhaustive
  public enum Reason: Equatable, Sendable {
    /// The transaction changed no objects. It declares models, or it is a reversal that changed nothing.
    ///
    /// Revert another transaction.
    case noChanges
    /// The models of this program lack an entity or a property that the transaction changed, or the property has been
    /// converted to another type since.
    ///
    /// `property` is `nil` if the models lack the entity. Revert the transaction with a program that has these models.
    /// If a migration has converted the property, assign the values that you want.
    case unknown(entity: String, property: String?)
    /// `StoreMaintenance.erase` has erased values of the transaction from the log. Assign the values that you want
    /// instead.
    case erased
  }
}

extension RevertError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .uncommittedChanges:
      "Nothing was reverted. A reversal is saved as a separate transaction, but the context has uncommitted changes, a "
        + "running save, or an open group. Save or discard the changes, wait for the save, or end the group first."
    case .nothingLeft(let position):
      "Transaction \(position) was not reverted. Later changes replaced or deleted everything that this transaction "
        + "changed. Call undo() or redo() again to continue with the next step."
    case .notFound(let position, let head):
      "Transaction \(position) was not reverted. The log does not have it, and ends with transaction \(head). Use the "
        + "position of a transaction in the log."
    case .irreversible(let position, .noChanges):
      "Transaction \(position) was not reverted. It changed no objects. Revert another transaction."
    case .irreversible(let position, .unknown(let entity, let property?)):
      "Transaction \(position) was not reverted. It changed \(entity).\(property), which the models of this program "
        + "lack, or which a migration has converted since then. Assign the values that you want, or revert the "
        + "transaction with a program that has this property."
    case .irreversible(let position, .unknown(let entity, nil)):
      "Transaction \(position) was not reverted. It changed \(entity), which the models of this program lack. Revert "
        + "the transaction with a program that has this model."
    case .irreversible(let position, .erased):
      "Transaction \(position) was not reverted. `StoreMaintenance.erase` erased its old values from the log. Assign "
        + "the values that you want."
    case .store(let error): "Nothing was reverted. \(error)"
    }
  }
}
