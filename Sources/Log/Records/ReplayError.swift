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
  /// Another event or the record has the version at another position. `nil` if the found position is impossible.
  case otherPlace(UniqueID, version: UInt64, expected: Position?, found: Position)
  /// The event has pointers that its version of the object cannot have.
  case impossiblePointers(UniqueID, version: UInt64, VersionPointers)
  /// The event's old value differs from the actual one.
  case otherValue(UniqueID, property: UInt32)
  /// The event was redacted, so it cannot be replayed.
  case redacted(event: Int)
}

extension ReplayError: CustomStringConvertible {
  /// The mismatch and its place, as part of a sentence.
  @usableFromInline package var description: String {
    switch self {
    case .malformed(let error): "a stored object or an event is damaged: \(error)"
    case .missingObject(let id): "the log changes the object \(id), which does not exist"
    case .presentObject(let id): "the log inserts the object \(id), which already exists"
    case .otherHistory(let id, let expected, let found):
      "the event of the object \(id) names the transactions \(found.previous) and \(found.skip) as earlier versions, "
        + "but the stored object names \(expected.previous) and \(expected.skip)"
    case .otherPlace(let id, let version, let expected?, let found):
      "version \(version) of the object \(id) is recorded both in transaction \(expected) and in transaction \(found)"
    case .otherPlace(let id, version: 0, expected: nil, found: let found):
      "transaction \(found) changes the object \(id), but the stored history of the object begins later"
    case .otherPlace(let id, version: let version, expected: nil, found: let found):
      "version \(version) of the object \(id) cannot be in transaction \(found)"
    case .impossiblePointers(let id, let version, let found):
      "version \(version) of the object \(id) cannot have earlier versions in the transactions \(found.previous) and "
        + "\(found.skip)"
    case .otherValue(let id, let property):
      "the log changes a value of the property with the number \(property) of the object \(id), but the object does "
        + "not have the old value"
    case .redacted(let event): "event \(event) was erased, so the log does not have the state before it"
    }
  }
}
