import RepriseObjectModel

/// Why the writer did not make a save. Nothing was written.
package enum AppendRefusal: Error {
  /// It cannot be made as it is.
  case error(SaveError)
  /// Merged with the saves of others, objects come to have values that were not validated: to be validated by the
  /// context, which can read what they are related to, and sent again.
  case unvalidated([(object: AnyObjectID, values: ContiguousArray<PropertyValue>)])
  /// Others have saved since the position up to which the context has looked at what it read: to be looked at again,
  /// and sent again.
  case moved
  /// Its task was cancelled while it waited for another process.
  case cancelled
}
