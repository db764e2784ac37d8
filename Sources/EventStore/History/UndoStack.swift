import RepriseLog
import RepriseObjectModel

/// A transaction that undo or redo could revert.
package struct RevertibleTransaction: Sendable {
  package let position: Position
  package let name: String?
  /// Whether all transactions in the chain of reversals, from this one to the edit at its end, have the same author.
  let isOwnAllTheWay: Bool
}

/// Transactions that undo or redo could revert, by descending position, so the next one is first. New transactions are
/// added at the front, and older ones at the end while the log is searched.
package struct UndoStack: Sendable {
  /// The last element is the next step.
  private var later: [RevertibleTransaction] = []
  /// The first element is the next step if ``later`` is empty.
  private var earlier: [RevertibleTransaction] = []

  package var count: Int { later.count + earlier.count }
  /// The steps, the next one first.
  package var steps: [RevertibleTransaction] { later.reversed() + earlier }

  /// The next step before a position, or of all steps if it is `nil`. O(log n).
  package func next(before limit: Position?) -> RevertibleTransaction? {
    guard let limit else { return later.last ?? earlier.first }
    let place = later.firstIndex(inOrder: { $0.position >= limit })
    if place > 0 { return later[place - 1] }
    let rest = earlier.firstIndex(inOrder: { $0.position < limit })
    return rest < earlier.count ? earlier[rest] : nil
  }

  /// Adds a step that was saved after all known ones.
  mutating func push(_ step: RevertibleTransaction) { later.append(step) }

  /// Adds a step that was saved before all known ones.
  mutating func append(_ step: RevertibleTransaction) { earlier.append(step) }

  /// Removes the step at a position and returns it. `nil` if there is none. O(1) on average for the next step, O(n) for
  /// any other.
  mutating func remove(_ position: Position) -> RevertibleTransaction? {
    if later.isEmpty, earlier.first?.position == position {
      later = earlier.reversed()
      earlier = []
    }
    let place = later.firstIndex(inOrder: { $0.position >= position })
    if place < later.count, later[place].position == position { return later.remove(at: place) }
    let rest = earlier.firstIndex(inOrder: { $0.position <= position })
    if rest < earlier.count, earlier[rest].position == position { return earlier.remove(at: rest) }
    return nil
  }

  mutating func removeAll() { self = UndoStack() }
}

extension [RevertibleTransaction] {
  /// The first index from which a condition holds. The count if there is none.
  fileprivate func firstIndex(inOrder holds: (RevertibleTransaction) -> Bool) -> Int {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if holds(self[middle]) { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }
}
