import RepriseObjectModel

/// Receives the program's reads in a context, to notify it when they change. A target that imports `Observation`
/// implements it, so that other targets do not pay for that module.
package protocol ReadTracker: AnyObject {
  /// The program read a property of an object, or ``ObjectStorage/existence``.
  func didRead(_ slot: Int, of id: AnyObjectID)
  /// The program read the rows of a list.
  func didRead(_ list: AnyObject)
  /// The program changed an object in this context.
  func didEdit(_ id: AnyObjectID, _ change: ObjectChange)
  /// A list shows other rows.
  func didChange(_ list: AnyObject)
  /// Tracks a new child of the context.
  func track(_ child: ObjectContext)
}
