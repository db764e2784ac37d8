import RepriseObjectModel

/// Is told of what the program reads in a context, to notify it when that changes: what a target that imports
/// `Observation` implements, so that no other pays for it.
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
