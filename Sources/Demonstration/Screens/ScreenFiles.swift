/// What was on the screen, beside the store, for the next process to compare with.
enum ScreenFiles {
  static func before(_ store: String) -> String { store + ".before.txt" }
  static func after(_ store: String) -> String { store + ".after.txt" }
}
