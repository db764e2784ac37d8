/// Which way to go among steps.
enum UndoDirection {
  case undo, redo
}
