import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// What an author could take back, and take up again: the undo stack and the redo stack of the log.
///
/// They follow from the envelopes alone. A transaction that takes back one of the same author is an undo, or a redo if
/// that was an undo; anything else is an edit, after which nothing is to be redone. What was taken back, by anybody, is
/// not to be undone again.
///
/// The log is looked at from a position back, no further than it is asked for, and goes on from where it stopped. What
/// is saved later is added in front. So each transaction is looked at once, and after a saved undo the next one is at
/// hand.
package struct UndoableTransactions: Sendable {
  /// Whose transactions they are. May only get transactions that were not looked at yet.
  package var owner: UndoOwner
  package private(set) var undo = UndoStack()
  package private(set) var redo = UndoStack()
  /// Whether an edit was seen, before which there is nothing to redo.
  package private(set) var hasEdit = false
  /// How many transactions were looked at.
  package private(set) var looked = 0
  /// The position whose stacks these are; `nil` if it was never looked.
  private var position: Position?
  /// The next transaction to be looked at on the way back.
  private var next: Position = 0
  /// The first transaction of the log at that time.
  private var first: Position = 0
  /// By position, of those that were not looked at yet: the transaction that took it back.
  private var undone: [Position: Position] = [:]
  /// Of transactions that were looked at before their turn.
  private var lineages: [Position: Lineage] = [:]
  /// Reversals that are about others' transactions only, as far as that was asked.
  private var others: Set<Position> = []

  package init(by owner: UndoOwner) { self.owner = owner }

  /// How a transaction came about, by what it takes back.
  private struct Lineage {
    let kind: UndoEntry.Kind
    let isOwnAllTheWay: Bool

    /// Of what takes it back.
    var takenBack: Lineage { Lineage(kind: kind == .undo ? .redo : .undo, isOwnAllTheWay: isOwnAllTheWay) }
  }

  /// Makes the stacks those of a position, and looks back until there is enough, or the log begins.
  ///
  /// After an error nothing is known of the stacks.
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
        // It is in effect again, and the author's own redo stands for it.
        undone[target] = taker
      }
    }
    guard owner.owns(entry, at: position), entry.changesObjects else { return }
    let known = lineages.removeValue(forKey: position)
    let lineage = if let known { known } else { try lineage(of: entry, position, entries, view) }
    let step = UndoStep(position: position, name: entry.name, isOwnAllTheWay: lineage.isOwnAllTheWay)
    if lineage.kind == .undo {
      if taker == nil, !hasEdit { redo.append(step) }
    } else if taker == nil {
      undo.append(step)
    }
    if lineage.kind == .edit { hasEdit = true }
  }

  /// Follows the transaction taken back, and what that took back, as far as they are the same author's. What is found
  /// out on the way is kept until it is their turn.
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

  /// Adds what was saved since. False if the stacks have to be found anew.
  private mutating func move(
    to later: Position, _ entries: UndoEntries, _ view: View
  ) throws(StorageError) -> Bool {
    guard let position, position <= later, entries.first == first else { return false }
    // Where so much happened, what is asked for is probably nearer to the new position than to the old one.
    guard position.distance(to: later) <= max(1_000, next.distance(to: position)) else { return false }
    self.position = later
    if position == later { return true }
    for place in position + 1...later where try !add(place, entries, view) { return false }
    return true
  }

  /// Adds a transaction to those before it. False if it puts something in effect again that is not at hand: then the
  /// stacks have to be found anew.
  private mutating func add(
    _ position: Position, _ entries: UndoEntries, _ view: View
  ) throws(StorageError) -> Bool {
    let entry = try read(position, entries, view)
    let isOwn = owner.owns(entry, at: position)
    var lineage = Lineage(kind: entry.takesBackDropped ?? .edit, isOwnAllTheWay: true)
    if let target = entry.undoes {
      let below = try read(target, entries, view)
      if target <= next {
        // It is not its turn yet. This is the latest that takes it back.
        undone[target] = position
        if isOwn { lineage = try self.lineage(of: entry, position, entries, view) }
      } else if below.undoes == nil {
        _ = undo.remove(target) ?? redo.remove(target)
        if isOwn { lineage = try self.lineage(of: entry, position, entries, view) }
      } else if owner.owns(below, at: target) {
        // The author's own undo or redo stands for what it takes back. Another's does not.
        guard isOwn, let known = takeBack(target), known.isOwnAllTheWay else { return false }
        lineage = known
      } else {
        if try concerns(target, below, entries, view) { return false }
        others.insert(position)
        lineage = Lineage(kind: .edit, isOwnAllTheWay: false)
      }
    }
    guard isOwn, entry.changesObjects else { return true }
    let step = UndoStep(position: position, name: entry.name, isOwnAllTheWay: lineage.isOwnAllTheWay)
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

  /// Takes an own transaction from its stack. Returns what it makes of the one that took it back; `nil` if it was on
  /// none.
  private mutating func takeBack(_ position: Position) -> Lineage? {
    if let step = undo.remove(position) { return Lineage(kind: .undo, isOwnAllTheWay: step.isOwnAllTheWay) }
    return redo.remove(position).map { Lineage(kind: .redo, isOwnAllTheWay: $0.isOwnAllTheWay) }
  }

  /// Whether another's transaction takes back, in the end, one of the author's.
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
