import RepriseLog

/// A save that is in the log, or had nothing to write.
package struct AppendedSave: Sendable {
  /// The position of the last transaction of the save, or of the head if the save wrote none.
  package let position: Position
  /// The transactions that the save wrote, with all consequences and after merging. Usually one; several if the save
  /// reverts transactions. They share memory with the window.
  package let transactions: [VersionWindow.Transaction]
}
