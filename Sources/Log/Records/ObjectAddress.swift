import RepriseObjectModel

/// An object by the number of its entity in the store, and its UUID. Ordered as the keys of records are.
@frozen
@usableFromInline
package struct ObjectAddress: Hashable, Comparable, Sendable {
  @usableFromInline package let entity: UInt32
  @usableFromInline package let uuid: UniqueID

  @inlinable package init(entity: UInt32, uuid: UniqueID) {
    self.entity = entity
    self.uuid = uuid
  }

  /// The lower half alone suffices: it is random.
  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(uuid.low) }

  @inlinable package static func < (left: ObjectAddress, right: ObjectAddress) -> Bool {
    left.entity != right.entity ? left.entity < right.entity : left.uuid < right.uuid
  }
}
