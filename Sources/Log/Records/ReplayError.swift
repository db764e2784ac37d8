import RepriseObjectModel

/// Why an event does not fit the state that it is applied to: one of the two is damaged.
@usableFromInline
package enum ReplayError: Error, Equatable, Sendable {
  case malformed(MalformedBytes)
  /// The event changes or deletes an object that does not exist.
  case missingObject(UniqueID)
  /// The event inserts an object that exists or, when replayed backwards, deletes one.
  case presentObject(UniqueID)
  /// The event's pointers differ from the pointers of the object's record.
  case otherHistory(UniqueID, expected: VersionPointers, found: VersionPointers)
  /// The event's old value differs from the actual one.
  case otherValue(UniqueID, property: UInt32)
  /// The event was redacted, so it cannot be replayed.
  case redacted(event: Int)
}

extension ReplayError: CustomStringConvertible {
  /// The mismatch and its place, as part of a sentence.
  @usableFromInline package var description: String {
    switch self {
    case .malformed(let error): "a record or an event is damaged: \(error)"
    case .missingObject(let id): "the log changes the object \(id), which does not exist"
    case .presentObject(let id): "the log inserts the object \(id), which already exists"
    case .otherHistory(let id, let expected, let found):
      "the event of \(id) points at the positions \(found.previous) and \(found.skip), and its record at "
        + "\(expected.previous) and \(expected.skip)"
    case .otherValue(let id, let property):
      "the log changes a value of property \(property) of \(id) that the object does not have"
    case .redacted(let event): "event \(event) was redacted, so the log does not have the state before it"
    }
  }
}
