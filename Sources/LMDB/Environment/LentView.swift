/// A view for code without lifetime annotations, such as a program's own. It reads nothing after the loan has ended.
package final class LentView {
  private var transaction: OpaquePointer?
  private let isSnapshot: Bool

  fileprivate init(_ view: borrowing View) {
    transaction = view.transaction
    isSnapshot = view.isSnapshot
  }

  fileprivate func end() { transaction = nil }

  /// `nil` if the loan is over.
  package func read<Result>(
    _ body: (borrowing View) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    guard let transaction else { return nil }
    return try body(View(unsafe: transaction, isSnapshot: isSnapshot))
  }
}

extension View {
  /// Lends the view for as long as `body` runs.
  package func lent<Result, Failure: Error>(_ body: (LentView) throws(Failure) -> Result) throws(Failure) -> Result {
    let lent = LentView(self)
    defer { lent.end() }
    return try body(lent)
  }
}
