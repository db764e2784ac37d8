import RepriseObjectModel

/// An object by the number of its entity in the store, and its UUID. Ordered as the keys of records are.
struct ObjectAddress: Hashable, Comparable, Sendable {
  let entity: UInt32
  let uuid: UniqueID

  /// The lower half alone suffices: it is random.
  func hash(into hasher: inout Hasher) { hasher.combine(uuid.low) }

  static func < (left: ObjectAddress, right: ObjectAddress) -> Bool {
    left.entity != right.entity ? left.entity < right.entity : left.uuid < right.uuid
  }
}
