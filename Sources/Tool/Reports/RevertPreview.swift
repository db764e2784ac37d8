import Foundation
import RepriseCore

/// The changes that the reversal of a transaction would make, and its conflicts with later changes.
package struct RevertPreview: Encodable {
  /// A conflict of the reversal with a later change.
  package struct Conflict: Encodable {
    /// The place in ``RevertPreview/conflicts``, for ``RevertPlan/answers``.
    package let index: Int
    package let object: String
    /// The property. `nil` if the conflict is about the whole object.
    package let property: String?
    /// The conflict in words, with the values and the later transactions.
    package let sentence: String
    /// The value that the transaction set.
    package let base: ValueJSON
    /// The value from before the transaction.
    package let mine: ValueJSON
    /// The value of the later change.
    package let theirs: ValueJSON
    /// The later transactions, oldest first.
    package let transactions: [UInt64]
    /// The answers that are possible.
    package let choices: [RevertPlan.Answer]
    /// The answer. `nil` while the conflict is open.
    package let answer: RevertPlan.Answer?
  }

  /// The transaction to revert.
  package let position: UInt64
  /// The changes that the reversal makes. With broken rules, there are none.
  package let changes: [ChangeText]
  package let conflicts: [Conflict]
  /// The rules that the reversal would break, as sentences.
  package let violations: [String]

  /// Whether both have the same changes, conflicts and answers.
  package func isSame(as other: RevertPreview) -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)) == (try? encoder.encode(other))
  }

  /// Throws the reason why the reversal cannot be saved.
  package func requireReady() throws(RevertPlanError) {
    let open = conflicts.count { $0.answer == nil }
    if open > 0 { throw .openConflicts(Position(position), open) }
    if !violations.isEmpty { throw .brokenRules(Position(position), violations.count) }
    if changes.isEmpty { throw .nothingLeft(Position(position)) }
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    let style = output.style
    if !changes.isEmpty { try output.line("The reversal of \(style.ink(.place, "@\(position)")) changes:") }
    for change in changes { for line in change.lines(style) { try output.line(line) } }
    if !conflicts.isEmpty { try output.line("Conflicts with later changes:") }
    for conflict in conflicts {
      let answer =
        switch conflict.answer {
        case .mine: "The earlier value returns."
        case .theirs: "The later change stays."
        case nil: "Open: add '--mine' or '--theirs'."
        }
      try output.line("  \(conflict.index + 1). \(PlainText.line(conflict.sentence)). \(style.ink(.name, answer))")
    }
    if !violations.isEmpty { try output.line("Rules that the reversal would break:") }
    for violation in violations { try output.line("  \(PlainText.line(violation))") }
    try output.flush()
  }
}

/// The result of a reversal.
package struct RevertText: Encodable {
  let position: UInt64
  let undoes: UInt64

  package init(_ position: Position, undoes: Position) {
    (self.position, self.undoes) = (position.number, undoes.number)
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    try output.line("Transaction @\(position) reverts @\(undoes).")
  }
}
