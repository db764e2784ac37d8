/// Undo or redo.
enum UndoDirection {
  case undo, redo
}
