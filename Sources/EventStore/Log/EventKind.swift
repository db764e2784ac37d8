/// The first byte of an event.
package enum EventKind: UInt8, Equatable, Sendable {
  case inserted = 1
  case updated = 2
  case deleted = 3
  /// An entity or a property gets its number, name and role.
  case schema = 4
  /// Names of the envelope, kept apart from it so that they can be erased.
  case names = 5
  /// An edge of a to-many relationship without a to-one that stores it.
  case edgeAdded = 6
  case edgeRemoved = 7
  /// The object is deleted, and its ID from now on means another object.
  case mergedInto = 8
  case compaction = 9

  /// Whether an object's entity and UUID follow.
  package var isOfAnObject: Bool {
    switch self {
    case .inserted, .updated, .deleted, .edgeAdded, .edgeRemoved, .mergedInto: true
    case .schema, .names, .compaction: false
    }
  }
}

/// How one property changed: the two lowest bits of its encoded number.
enum ChangeForm: UInt64 {
  case set = 0
  case textSplice = 1
  case bytesSplice = 2
  /// The old and new values were erased. Only in the residue of a redacted event.
  case redacted = 3
}
