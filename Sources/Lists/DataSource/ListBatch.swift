/// One change of a list, from ``before`` to ``after``.
///
/// The batches of a list are contiguous: each begins with the snapshot that the one before it ended with, and the list
/// shows what the last one ended with.
public struct ListBatch: Hashable, Sendable {
  /// The list before the change.
  public let before: ListSnapshot
  /// The list after the change.
  public let after: ListSnapshot
  /// What changed, row by row: applied to the rows before, it gives the rows after, and rows that it does not mention
  /// read as before. `nil` for a reset.
  public let changes: ListChanges?

  /// Whether any row may have changed, moved, appeared or gone, so that all visible rows must be reloaded: ``changes``
  /// is `nil`.
  ///
  /// An observer that reloads if this is true, and applies ``changes`` otherwise, handles every batch correctly; so
  /// does one that always reloads.
  public var isReset: Bool { changes == nil }

  /// A change of which the details are known, or only the list before and after: a reset.
  public init(before: ListSnapshot, after: ListSnapshot, changes: ListChanges? = nil) {
    self.before = before
    self.after = after
    self.changes = changes
  }
}
