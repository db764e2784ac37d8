import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// What undo has to know of a transaction.
struct UndoEntry {
  let author: String?
  /// The name of the context, of a transaction without an author.
  let contextName: String?
  let name: String?
  /// `nil` if that was dropped.
  let undoes: Position?
  /// Whether it takes back a transaction that was dropped: an undo, or a redo if that had taken back another one.
  let takesBackDropped: Kind?
  let changesObjects: Bool

  enum Kind {
    case edit, undo, redo
  }
}

/// Reads of the log what undo has to know, all in one read transaction.
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
