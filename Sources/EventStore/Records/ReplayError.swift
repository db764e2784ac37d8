import RepriseObjectModel

/// Why an event does not fit the state that it is applied to: one of the two is damaged.
package enum ReplayError: Error, Equatable, Sendable {
  case malformed(MalformedBytes)
  /// The event changes or deletes an object that does not exist.
  case missingObject(UniqueID)
  /// The event inserts an object that exists or, when replayed backwards, deletes one.
  case presentObject(UniqueID)
  /// The event's pointers differ from those of the object's record.
  case otherHistory(UniqueID, expected: VersionPointers, found: VersionPointers)
  /// The event's old value differs from the actual one.
  case otherValue(UniqueID, property: UInt32)
  /// The event was redacted, so it cannot be replayed.
  case redacted(event: Int)
}

extension ReplayError: CustomStringConvertible {
  /// What does not match, where, and what to do next.
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
