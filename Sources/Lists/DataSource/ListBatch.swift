/// One change of a list, from the snapshot ``before`` to the snapshot ``after``.
///
/// The batches of a list are contiguous: each begins with the snapshot that ended the last one. The list shows the last
/// batch's ``after``.
public struct ListBatch: Equatable, Sendable {
  /// The list before the change.
  public let before: ListSnapshot
  /// The list after the change.
  public let after: ListSnapshot
  /// The changes row by row, or `nil` for a reset.
  ///
  /// Applied to the rows before, they give the rows after. Rows that they do not mention are unchanged.
  public let changes: ListChanges?

  /// Whether all visible rows must be reloaded, because any row may have changed.
  ///
  /// Then ``changes`` is `nil`.
  ///
  /// An observer handles every batch correctly if it reloads after a reset, and otherwise applies ``changes``. So does
  /// an observer that always reloads.
  public var isReset: Bool { changes == nil }

  /// Makes a batch.
  ///
  /// Without `changes`, it is a reset.
  public init(before: ListSnapshot, after: ListSnapshot, changes: ListChanges? = nil) {
    self.before = before
    self.after = after
    self.changes = changes
  }
}
