import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The properties of a transaction that decide about undo and redo.
struct UndoEntry {
  let author: String?
  /// The name of the context, for a transaction without an author.
  let contextName: String?
  let name: String?
  /// The transaction that this one reverts. `nil` if it reverts none, or if that transaction was dropped.
  let undoes: Position?
  /// The kind of a transaction that reverts a dropped one: an undo, or a redo if the dropped one was an undo itself.
  /// `nil` for any other transaction.
  let takesBackDropped: Kind?
  let changesObjects: Bool

  enum Kind {
    case edit, undo, redo
  }
}

/// Reads the entries of undo from the log, in one read transaction.
struct UndoEntries {
  private let log: LogTable
  private let reader: TransactionReader
  /// The first transaction of the log.
  let first: Position

  init(_ store: Store, _ view: View) throws(StorageError) {
    first = try MetaTable(store.tables.meta).firstPosition(view)
    log = store.files.log
    reader = store.log.reader(TransactionFilter())
  }

  func entry(_ position: Position, _ view: View) throws(StorageError) -> UndoEntry {
    let (envelope, changesObjects) = try log.withFrame(position, view) { (frame) throws(MalformedBytes) in
      var events = frame.events
      while let event = try events.next() { if event.change != nil { return (frame.envelope, true) } }
      return (frame.envelope, false)
    }
    let undoes = envelope.undoes.flatMap { $0 < position ? $0 : nil }
    let isDropped = undoes.map { $0 < first } ?? false
    let author = try reader.name(envelope.author, view)
    return UndoEntry(
      author: author, contextName: author == nil ? try reader.name(envelope.contextName, view) : nil,
      name: try reader.name(envelope.name, view),
      undoes: isDropped ? nil : undoes,
      takesBackDropped: isDropped ? (envelope.supersedes == nil ? .undo : .redo) : nil, changesObjects: changesObjects)
  }
}
