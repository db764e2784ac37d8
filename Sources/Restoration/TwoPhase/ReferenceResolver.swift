/// Resolves the references in states of two-phase screens, and encodes them.
protocol ReferenceResolver: AnyObject {
  func resolve(_ key: String) throws(Unmet) -> RegisteredValue
  /// The screen that a reference leads to. `nil` if it is not there.
  func screen(referredTo text: String) -> AnyObject?
  /// How a reference to a screen is written. `nil` if the screen is in no node.
  func reference(to screen: any RestorableScreen) -> String?
}
