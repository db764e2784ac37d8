import RepriseLog

/// A save that is in the log, or had nothing to write.
package struct AppendedSave: Sendable {
  /// The position of its last transaction; of the head, if it wrote none.
  package let position: Position
  /// What it wrote, consequences and merging included: most often one transaction, several of a save that takes
  /// transactions back. Shared with the window, which has them anyway.
  package let transactions: [VersionWindow.Transaction]
}
