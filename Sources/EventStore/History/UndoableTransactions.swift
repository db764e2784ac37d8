import RepriseLMDB
import RepriseObjectModel

/// What an author could take back, and take up again: the undo stack and the redo stack of the log.
///
/// They follow from the envelopes alone. A transaction that takes back one of the same author is an undo, or a redo if
/// that was an undo; anything else is an edit, after which nothing is to be redone. What was taken back, by anybody, is
/// not to be undone again.
package struct UndoableTransactions: Sendable {
  package struct Step: Hashable, Sendable {
    package let position: Position
    package let name: String?
  }

  /// The next one first.
  package fileprivate(set) var undo: [Step] = []
  /// The next one first.
  package fileprivate(set) var redo: [Step] = []

  package init() {}
}

extension Store {
  /// How far back in the log what can be undone is looked for.
  package static let undoReach = 10_000

  /// The transactions of an author that could be taken back, the latest first: those that changed objects, and that
  /// were not taken back already. The first is what `undo()` of a root would take back next.
  ///
  /// Whether one can be, on its own or as a whole, is found out by staging its reversal.
  ///
  /// Costs the transactions of the log up to the last one returned, and looks at the last 10,000 at most.
  ///
  /// - Parameters:
  ///   - author: `nil` for transactions without one.
  ///   - limit: The most to return.
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func undoable(by author: String?, limit: Int = 20) throws -> [LoggedTransaction] {
    let steps = try undoableTransactions(by: author, upTo: refreshedHead(), limit: limit).undo
    return try steps.prefix(max(0, limit)).compactMap { try transaction(at: $0.position) }
  }

  /// The reversals that an author could take back, so that what they took back is in effect again; the next one first.
  /// None once the author has saved something else.
  ///
  /// Costs the transactions of the log up to the author's last edit, and looks at the last 10,000 at most.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func redoable(by author: String?, limit: Int = 20) throws -> [LoggedTransaction] {
    let steps = try undoableTransactions(by: author, upTo: refreshedHead(), limit: 1).redo
    return try steps.prefix(max(0, limit)).compactMap { try transaction(at: $0.position) }
  }

  /// At least `limit` steps to undo if there are so many, and all to redo.
  package func undoableTransactions(
    by author: String?, upTo position: Position, limit: Int
  ) throws(StoreError) -> UndoableTransactions {
    try read { (view, head) throws(StorageError) in
      var scan = try UndoScan(store: self, author: author, limit: limit, view)
      var position = min(position, head)
      let reach = position - min(Self.undoReach, Int(clamping: position.number))
      let last = max(reach, scan.first - 1)
      while position > last, !scan.isDone {
        try scan.add(position, view)
        position = position - 1
      }
      return scan.found
    }
  }

  /// Whether transactions between two positions can have changed what an author can undo.
  package func concernsUndo(
    of author: String?, after earlier: Position, upTo later: Position
  ) throws(StoreError) -> Bool {
    try read { (view, head) throws(StorageError) in
      let later = min(later, head)
      guard earlier < later else { return false }
      guard earlier.distance(to: later) < Self.undoReach else { return true }
      var scan = try UndoScan(store: self, author: author, limit: 1, view)
      // Of those that were dropped, nothing is known.
      guard earlier >= scan.first - 1 else { return true }
      for position in earlier + 1...later {
        let entry = try scan.entry(position, view)
        if entry.undoes != nil || entry.author == author { return true }
      }
      return false
    }
  }
}

/// Looks at the log from its end.
private struct UndoScan {
  private let log: LogTable
  private let map: SchemaMap
  private let reader: TransactionReader
  private let author: String?
  private let limit: Int
  var found = UndoableTransactions()
  /// By position: the transaction that took it back.
  private var undone: [Position: Position] = [:]
  /// Entries that were looked at before their turn.
  private var known: [Position: Entry] = [:]
  private var hasEdit = false

  struct Entry {
    let author: String?
    let name: String?
    /// `nil` if that was dropped.
    let undoes: Position?
    /// Whether it takes back a transaction that was dropped: an undo, or a redo if that had taken back another one.
    let takesBackDropped: Kind?
    let changesObjects: Bool
  }

  enum Kind {
    case edit, undo, redo
  }

  /// The first transaction of the log.
  let first: Position

  init(store: Store, author: String?, limit: Int, _ view: View) throws(StorageError) {
    first = try MetaTable(store.tables.meta).firstPosition(view)
    log = store.log
    map = store.map
    reader = store.reader(TransactionFilter())
    self.author = author
    self.limit = limit
  }

  var isDone: Bool { hasEdit && found.undo.count >= limit }

  mutating func add(_ position: Position, _ view: View) throws(StorageError) {
    let entry = try entry(position, view)
    let taker = undone.removeValue(forKey: position)
    if let target = entry.undoes, undone[target] == nil {
      if taker == nil {
        undone[target] = position
      } else if let taker, try self.entry(taker, view).author == self.entry(target, view).author {
        // It is in effect again, and the author's own redo stands for it.
        undone[target] = taker
      }
    }
    guard entry.author == author, entry.changesObjects else { return }
    let kind = try kind(of: entry, view)
    let step = UndoableTransactions.Step(position: position, name: entry.name)
    if kind == .undo {
      if taker == nil, !hasEdit { found.redo.append(step) }
    } else if taker == nil {
      found.undo.append(step)
    }
    if kind == .edit { hasEdit = true }
  }

  /// Follows the transaction taken back, and what that took back.
  private mutating func kind(of entry: Entry, _ view: View) throws(StorageError) -> Kind {
    var count = 0
    var entry = entry
    while let target = entry.undoes {
      let below = try self.entry(target, view)
      if below.author != entry.author { break }
      count += 1
      entry = below
    }
    if let last = entry.takesBackDropped { count += last == .undo ? 1 : 2 }
    return count == 0 ? .edit : count % 2 == 1 ? .undo : .redo
  }

  mutating func entry(_ position: Position, _ view: View) throws(StorageError) -> Entry {
    if let entry = known[position] { return entry }
    let (envelope, changesObjects) = try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
      var events = frame.events
      while let event = try events.next() { if event.entity != 0 { return (frame.envelope, true) } }
      return (frame.envelope, false)
    }
    let undoes = envelope.undoes.flatMap { $0 < position ? $0 : nil }
    let isDropped = undoes.map { $0 < first } ?? false
    let entry = Entry(
      author: try reader.name(envelope.author, view), name: try reader.name(envelope.name, view),
      undoes: isDropped ? nil : undoes,
      takesBackDropped: isDropped ? (envelope.supersedes == nil ? .undo : .redo) : nil, changesObjects: changesObjects)
    if entry.undoes != nil { known[position] = entry }
    return entry
  }
}
