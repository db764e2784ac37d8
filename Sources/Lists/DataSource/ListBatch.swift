/// One change of a list, from ``before`` to ``after``.
///
/// The batches of a list are contiguous: each begins with the snapshot that the one before it ended with, and the list
/// shows what the last one ended with.
public struct ListBatch: Hashable, Sendable {
  /// The list before the change.
  public let before: ListSnapshot
  /// The list after the change.
  public let after: ListSnapshot
  /// Whether any row may have changed, moved, appeared or gone, so that all visible rows must be reloaded.
  ///
  /// An observer that checks this first, and reloads if it is true, handles every batch correctly.
  public let isReset: Bool

  /// A change known only by the list before and after: a reset.
  public init(before: ListSnapshot, after: ListSnapshot) {
    self.before = before
    self.after = after
    isReset = true
  }
}
