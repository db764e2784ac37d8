import RepriseObjectModel

/// An object by the number of its entity in the store, and its UUID. Ordered as the keys of records are.
package struct ObjectAddress: Hashable, Comparable, Sendable {
  package let entity: UInt32
  package let uuid: UniqueID

  package init(entity: UInt32, uuid: UniqueID) {
    self.entity = entity
    self.uuid = uuid
  }

  /// The lower half alone suffices: it is random.
  package func hash(into hasher: inout Hasher) { hasher.combine(uuid.low) }

  package static func < (left: ObjectAddress, right: ObjectAddress) -> Bool {
    left.entity != right.entity ? left.entity < right.entity : left.uuid < right.uuid
  }
}
