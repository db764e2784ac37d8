import RepriseLog

/// The state of the log after a commit.
// Not a tuple, whose type takes 30 us to instantiate at each start.
package struct LastCommit: Sendable {
  package var transactionID: Int
  package var head: LogHead

  package init(transactionID: Int, head: LogHead) {
    self.transactionID = transactionID
    self.head = head
  }
}
