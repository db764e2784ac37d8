import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The transactions that an author could undo and redo: the undo stack and the redo stack of the log.
///
/// The stacks follow from the envelopes alone. A transaction that reverts one of the same author is an undo, or a redo
/// if the reverted one was an undo. Every other transaction is an edit, which empties the redo stack. A transaction
/// that any author has reverted cannot be undone again.
///
/// The search goes back from a position, only as far as the caller needs, and continues later from where it stopped.
/// Transactions saved later are added at the front. So each transaction is read once, and after a saved undo the next
/// one is already known.
package struct UndoableTransactions: Sendable {
  /// The owner of the transactions. New transactions may only be added to it if the search has not reached them.
  package var owner: UndoOwner
  package private(set) var undo = UndoStack()
  package private(set) var redo = UndoStack()
  /// Whether an edit was seen, before which there is nothing to redo.
  package private(set) var hasEdit = false
  /// The number of transactions that were read.
  package private(set) var looked = 0
  /// The position that the stacks belong to. `nil` before the first search.
  private var position: Position?
  /// The next transaction that the search reads.
  private var next: Position = 0
  /// The first transaction of the log at the time of the search.
  private var first: Position = 0
  /// For transactions that the search has not reached: the transaction that reverted each of them.
  private var undone: [Position: Position] = [:]
  /// The lineages of transactions that were read before the search reached them.
  private var lineages: [Position: Lineage] = [:]
  /// Reversals that only concern transactions of other owners, as far as that was checked.
  private var others: Set<Position> = []

  package init(by owner: UndoOwner) { self.owner = owner }

  /// The kind of a transaction, by the transactions that it reverts.
  private struct Lineage {
    let kind: UndoEntry.Kind
    let isOwnAllTheWay: Bool

    /// The lineage of a transaction that reverts this one.
    var takenBack: Lineage { Lineage(kind: kind == .undo ? .redo : .undo, isOwnAllTheWay: isOwnAllTheWay) }
  }

  /// Moves the stacks to a position, and searches back until `isEnough` returns true, or the log begins.
  ///
  /// After an error the stacks are unknown.
  mutating func look(
    upTo position: Position, until isEnough: (Self) -> Bool, _ entries: UndoEntries, _ view: View
  ) throws(StorageError) {
    if try !move(to: position, entries, view) {
      let looked = looked
      self = Self(by: owner)
      (self.position, self.looked) = (position, looked)
      (next, first) = (position, entries.first)
    }
    while next > 0, next >= first, !isEnough(self) {
      try look(at: next, entries, view)
      next = next - 1
    }
  }

  // MARK: Back

  private mutating func look(at position: Position, _ entries: UndoEntries, _ view: View) throws(StorageError) {
    let entry = try read(position, entries, view)
    let taker = undone.removeValue(forKey: position)
    if let target = entry.undoes, undone[target] == nil {
      if taker == nil {
        undone[target] = position
      } else if let taker,
        try owner.isOne(read(taker, entries, view), taker, read(target, entries, view), target)
      {
        // The target is in effect again, and the author's own redo represents it.
        undone[target] = taker
      }
    }
    guard owner.owns(entry, at: position), entry.changesObjects else { return }
    let known = lineages.removeValue(forKey: position)
    let lineage = if let known { known } else { try lineage(of: entry, position, entries, view) }
    let step = RevertibleTransaction(position: position, name: entry.name, isOwnAllTheWay: lineage.isOwnAllTheWay)
    if lineage.kind == .undo {
      if taker == nil, !hasEdit { redo.append(step) }
    } else if taker == nil {
      undo.append(step)
    }
    if lineage.kind == .edit { hasEdit = true }
  }

  /// Follows the reverted transaction, and the one that it reverted, as long as they belong to the same author. Keeps
  /// the lineages found until the search reaches their transactions.
  private mutating func lineage(
    of entry: UndoEntry, _ position: Position, _ entries: UndoEntries, _ view: View
  ) throws(StorageError) -> Lineage {
    var chain: [Position] = []
    var (entry, place) = (entry, position)
    var lineage = Lineage(kind: entry.takesBackDropped ?? .edit, isOwnAllTheWay: true)
    while let target = entry.undoes {
      let below = try read(target, entries, view)
      if !owner.isOne(below, target, entry, place) {
        lineage = Lineage(kind: .edit, isOwnAllTheWay: false)
        break
      }
      chain.append(place)
      if let known = lineages[target] {
        lineage = known
        break
      }
      (entry, place) = (below, target)
      lineage = Lineage(kind: entry.takesBackDropped ?? .edit, isOwnAllTheWay: true)
    }
    for place in chain.reversed() {
      lineage = lineage.takenBack
      if place != position, place <= next { lineages[place] = lineage }
    }
    return lineage
  }

  private mutating func read(
    _ position: Position, _ entries: UndoEntries, _ view: View
  ) throws(StorageError) -> UndoEntry {
    looked += 1
    return try entries.entry(position, view)
  }

  // MARK: On

  /// Adds the transactions saved since. False if the stacks have to be built again from scratch.
  private mutating func move(
    to later: Position, _ entries: UndoEntries, _ view: View
  ) throws(StorageError) -> Bool {
    guard let position, position <= later, entries.first == first else { return false }
    // After so many transactions, the wanted steps are probably nearer to the new position than to the old one.
    guard position.distance(to: later) <= max(1_000, next.distance(to: position)) else { return false }
    self.position = later
    if position == later { return true }
    for place in position + 1...later where try !add(place, entries, view) { return false }
    return true
  }

  /// Adds a new transaction at the front. False if it puts a transaction into effect again that is not on the stacks:
  /// then they have to be built again from scratch.
  private mutating func add(
    _ position: Position, _ entries: UndoEntries, _ view: View
  ) throws(StorageError) -> Bool {
    let entry = try read(position, entries, view)
    let isOwn = owner.owns(entry, at: position)
    var lineage = Lineage(kind: entry.takesBackDropped ?? .edit, isOwnAllTheWay: true)
    if let target = entry.undoes {
      let below = try read(target, entries, view)
      if target <= next {
        // The search has not reached the target. This is the latest transaction that reverts it.
        undone[target] = position
        if isOwn { lineage = try self.lineage(of: entry, position, entries, view) }
      } else if below.undoes == nil {
        _ = undo.remove(target) ?? redo.remove(target)
        if isOwn { lineage = try self.lineage(of: entry, position, entries, view) }
      } else if owner.owns(below, at: target) {
        // The author's own undo or redo represents the transaction that it reverts. The one of another author does not.
        guard isOwn, let known = takeBack(target), known.isOwnAllTheWay else { return false }
        lineage = known
      } else {
        if try concerns(target, below, entries, view) { return false }
        others.insert(position)
        lineage = Lineage(kind: .edit, isOwnAllTheWay: false)
      }
    }
    guard isOwn, entry.changesObjects else { return true }
    let step = RevertibleTransaction(position: position, name: entry.name, isOwnAllTheWay: lineage.isOwnAllTheWay)
    switch lineage.kind {
    case .undo: redo.push(step)
    case .redo: undo.push(step)
    case .edit:
      undo.push(step)
      redo.removeAll()
      hasEdit = true
    }
    return true
  }

  /// Removes an own transaction from its stack. Returns the lineage of the transaction that reverted it. `nil` if it
  /// was on no stack.
  private mutating func takeBack(_ position: Position) -> Lineage? {
    if let step = undo.remove(position) { return Lineage(kind: .undo, isOwnAllTheWay: step.isOwnAllTheWay) }
    return redo.remove(position).map { Lineage(kind: .redo, isOwnAllTheWay: $0.isOwnAllTheWay) }
  }

  /// Whether another author's transaction reverts, at the end of its chain, one of this author.
  private func concerns(
    _ position: Position, _ entry: UndoEntry, _ entries: UndoEntries, _ view: View
  ) throws(StorageError) -> Bool {
    var (place, entry) = (position, entry)
    while let target = entry.undoes, !others.contains(place) {
      (place, entry) = (target, try entries.entry(target, view))
      if owner.owns(entry, at: place) { return true }
    }
    return false
  }
}
