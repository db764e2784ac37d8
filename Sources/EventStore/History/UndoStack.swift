import RepriseLog
import RepriseObjectModel

/// A transaction that undo or redo could take back.
package struct UndoStep: Equatable, Sendable {
  package let position: Position
  package let name: String?
  /// Whether it takes back what the same author saved, which took back what the same author saved, and so on, down to
  /// an edit.
  let isOwnAllTheWay: Bool
}

/// Transactions to be undone or redone, the next one first: by descending position. Later ones come at the front as
/// they are saved, earlier ones at the end as they are looked for.
package struct UndoStack: Sendable {
  /// The last is the next.
  private var later: [UndoStep] = []
  /// The first is the next once there are no later ones.
  private var earlier: [UndoStep] = []

  package var count: Int { later.count + earlier.count }
  /// The next one first.
  package var steps: [UndoStep] { later.reversed() + earlier }

  /// The next one of those before a position, or of all. O(log n).
  package func next(before limit: Position?) -> UndoStep? {
    guard let limit else { return later.last ?? earlier.first }
    let place = later.firstIndex(inOrder: { $0.position >= limit })
    if place > 0 { return later[place - 1] }
    let rest = earlier.firstIndex(inOrder: { $0.position < limit })
    return rest < earlier.count ? earlier[rest] : nil
  }

  /// Adds one that was saved after all others.
  mutating func push(_ step: UndoStep) { later.append(step) }

  /// Adds one that was saved before all others.
  mutating func append(_ step: UndoStep) { earlier.append(step) }

  /// Removes the one at a position and returns it; `nil` if there is none. Of the next one O(1) on average, of another
  /// O(n).
  mutating func remove(_ position: Position) -> UndoStep? {
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

extension [UndoStep] {
  /// The first index for which a condition holds that holds for all that follow; the count if there is none.
  fileprivate func firstIndex(inOrder holds: (UndoStep) -> Bool) -> Int {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if holds(self[middle]) { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }
}
