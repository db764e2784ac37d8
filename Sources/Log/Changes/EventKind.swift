/// The first byte of an event's body.
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
  /// The object was merged into another one: it is deleted, and its ID now refers to the other object.
  case mergedInto = 8
  case compaction = 9

  /// The change of an event of this kind to an object, whose entity and UUID follow. `nil` if the event is not about an
  /// object.
  var effect: Change.Kind? {
    switch self {
    case .inserted: .inserted
    case .updated, .edgeAdded, .edgeRemoved: .updated
    case .deleted, .mergedInto: .deleted
    case .schema, .names, .compaction: nil
    }
  }
}
