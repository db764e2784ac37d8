import RepriseLog
import RepriseObjectModel

/// The owner of the transactions that undo and redo revert.
package enum UndoOwner: Equatable, Sendable {
  /// The transactions of an author. `nil` for all transactions without one.
  case author(String?)
  /// The transactions without an author, of contexts with this name.
  case context(named: String)
  /// These transactions, ascending: the ones of a context with neither an author nor a name.
  case transactions([Position])

  func owns(_ entry: UndoEntry, at position: Position) -> Bool {
    switch self {
    case .author(let author): return entry.author == author
    case .context(let name): return entry.author == nil && entry.contextName == name
    case .transactions(let own):
      var (lower, upper) = (0, own.count)
      while lower < upper {
        let middle = (lower + upper) / 2
        if own[middle] < position { lower = middle + 1 } else { upper = middle }
      }
      return lower < own.count && own[lower] == position
    }
  }

  /// Whether two transactions have the same owner.
  func isOne(_ entry: UndoEntry, _ position: Position, _ other: UndoEntry, _ otherPosition: Position) -> Bool {
    if owns(entry, at: position) != owns(other, at: otherPosition) { return false }
    return entry.author == other.author
  }
}
