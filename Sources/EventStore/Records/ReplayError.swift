import RepriseObjectModel

/// Why an event does not fit the state that it is applied to: one of the two is damaged.
package enum ReplayError: Error, Hashable, Sendable {
  case malformed(MalformedBytes)
  /// It changes or deletes an object that is not there.
  case missingObject(UniqueID)
  /// It inserts an object that is there, or where going backwards it was deleted.
  case presentObject(UniqueID)
  /// Its pointers lead elsewhere than those of the object's record.
  case otherHistory(UniqueID, expected: VersionPointers, found: VersionPointers)
  /// The value that it changed is another.
  case otherValue(UniqueID, property: UInt32)
  /// It was redacted, so what it did cannot be done again.
  case redacted(event: Int)
}

extension ReplayError: CustomStringConvertible {
  /// What does not fit, where, and what to do next.
  package var description: String {
    switch self {
    case .malformed(let error): "A record or an event is damaged: \(error). Verify the store."
    case .missingObject(let id): "The log changes the object \(id), which is not there. Verify the store."
    case .presentObject(let id): "The log inserts the object \(id), which is there already. Verify the store."
    case .otherHistory(let id, let expected, let found):
      "The log has \(id) behind the positions \(found.previous) and \(found.skip), its record says "
        + "\(expected.previous) and \(expected.skip). Verify the store."
    case .otherValue(let id, let property):
      "The log changes a value of property \(property) of \(id) that is not the one there. Verify the store."
    case .redacted(let event): "Event \(event) was redacted: the state before it cannot be told from the log."
    }
  }
}
