import RepriseEventStore

/// Which way to go among steps.
enum UndoDirection {
  case undo, redo
}

/// What an author could undo and redo of the log, as found at a position.
struct KnownUndo {
  var position: Position = 0
  /// How many steps to undo were looked for; 0 if it was never looked.
  var limit = 0
  var steps = UndoableTransactions()
}
