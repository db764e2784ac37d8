/// What changed in a list at once: it was ``before``, and is ``after`` now.
///
/// The batches of a list join up: each begins with the snapshot that the one before it ended with, and the list shows
/// what the last one ended with.
public struct ListBatch: Hashable, Sendable {
  /// The list until now.
  public let before: ListSnapshot
  /// The list from now on.
  public let after: ListSnapshot
  /// Whether any row may have changed, moved, come or gone: what shows the list must ask for all visible rows again.
  ///
  /// An observer that looks at this first, and reloads if it is true, does right by every batch.
  public let isReset: Bool

  /// A change of which nothing is known but how the list was and how it is.
  public init(before: ListSnapshot, after: ListSnapshot) {
    self.before = before
    self.after = after
    isReset = true
  }
}
