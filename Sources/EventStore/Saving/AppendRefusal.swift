import RepriseObjectModel

/// The reason why the writer did not make a save. Nothing was written.
package enum AppendRefusal: Error {
  /// The save cannot be made as it is.
  case error(SaveError)
  /// After merging with other saves, some objects have values that were not validated. The context, which can read
  /// their related objects, validates them and sends the save again.
  case unvalidated([(object: AnyObjectID, values: ContiguousArray<PropertyValue>)])
  /// Other saves moved the head past the last position that the context has checked its reads against. The context
  /// checks again and sends the save again.
  case moved
  /// The task of the save was cancelled while it waited for another process.
  case cancelled
}
