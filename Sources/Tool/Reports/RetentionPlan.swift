import Foundation
import RepriseCore

/// The transactions that a retention would delete, before it does.
package struct RetentionPlan {
  /// The part of the log to keep.
  package enum Rule: Sendable {
    case last(Int)
    case days(Int)
    case from(Position)
  }

  /// Nobody has an older log, and the clock cannot show more.
  private static let mostDays = 1_000_000

  package let retention: Retention
  /// The position of the first transaction now.
  package let first: Position
  /// The most transactions that the retention deletes.
  package let count: UInt64
  private let total: UInt64

  package init(_ rule: Rule, of store: Store) throws {
    let (first, head) = (try store.log.firstPosition, store.log.head)
    let kept: Position
    switch rule {
    case .last(let count):
      kept = Position(head.number - min(head.number, UInt64(max(1, count))) + 1)
    case .days(let days):
      let limit = Date().timeIntervalSince1970 - 86_400 * Double(min(max(0, days), Self.mostDays))
      kept = try Self.last(before: limit, in: store) + 1
    case .from(let position): kept = position
    }
    // The answer may come when the log and the clock have gone on. It concerns these transactions only.
    retention = .from(min(kept, head))
    self.first = first
    total = head < first ? 0 : head.number - first.number + 1
    // The last transaction always stays.
    count = min(kept, head) > first ? min(kept, head).number - first.number : 0
  }

  /// The last transaction of the log before a time in seconds. 0 if the log has only later ones.
  private static func last(before time: Double, in store: Store) throws -> Position {
    do { return try store.log.position(atMicroseconds: Int64(time * 1_000_000)) } catch StoreError.truncated {
      return 0
    }
  }

  /// The loss.
  package var question: String {
    "Delete up to \(count) of \(total) transactions, from @\(first) to @\(first.number + count - 1)? Nothing can "
      + "restore their history. The objects keep their present values."
  }
}

/// The result of a retention.
package struct RetentionText: Encodable {
  let deleted: Int
  let first: UInt64
  let blockers: [String]

  package init(_ report: RetentionReport) {
    self.init(deleted: report.droppedTransactions, report.firstPosition, report.blockedBy.map(\.description))
  }

  package init(deleted: Int, _ first: Position, _ blockers: [String]) {
    (self.deleted, self.first, self.blockers) = (deleted, first.number, blockers.map(CommandWords.text))
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    let count = deleted == 1 ? "1 transaction" : "\(deleted) transactions"
    try output.line("Deleted \(count). The log begins at @\(first).")
    for blocker in blockers { try output.line("Kept more: \(PlainText.line(blocker))") }
  }
}
