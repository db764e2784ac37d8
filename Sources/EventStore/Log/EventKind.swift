/// The first byte of an event.
package enum EventKind: UInt8, Hashable, Sendable {
  case inserted = 1
  case updated = 2
  case deleted = 3
  /// Entities and properties get numbers, names, roles.
  case schema = 4
  /// Names of the envelope, apart from it so that they can be erased.
  case names = 5
  /// An edge of a to-many relationship without a to-one that stores it.
  case edgeAdded = 6
  case edgeRemoved = 7
  /// Deleted, and from now on meant where another object is.
  case mergedInto = 8
  case compaction = 9

  /// Whether entity and UUID of an object follow.
  package var isOfAnObject: Bool {
    switch self {
    case .inserted, .updated, .deleted, .edgeAdded, .edgeRemoved, .mergedInto: true
    case .schema, .names, .compaction: false
    }
  }
}

/// How one property changed, in the two low bits of its number.
enum ChangeForm: UInt64 {
  case set = 0
  case textSplice = 1
  case bytesSplice = 2
  /// Old and new were erased. Only in what is left of a redacted event.
  case redacted = 3
}
