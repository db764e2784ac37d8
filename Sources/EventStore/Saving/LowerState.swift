import RepriseObjectModel

/// What uncommitted changes are laid over when they are saved: the head of the log, within the commit; or what a
/// child's parent sees.
package protocol LowerState: ~Escapable {
  /// An object as it is there; `nil` where it does not exist.
  func object(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> LowerObject?
  /// The objects at the other end of a relationship that is stored there, as indexes say, ascending.
  func sources(of target: UniqueID, _ end: ResolvedSchema.Relationship) throws(StoreError) -> [UniqueID]
  /// The same for a relationship that no model of this process has.
  func sources(of target: UniqueID, _ hidden: HiddenReference) throws(StoreError) -> [UniqueID]
  /// Whether an object of this ID may be there, or have been: no to a new one, without a look at each.
  mutating func mayKnow(_ uuid: UniqueID, _ entity: EntityMap, isTombstone: Bool) throws(StoreError) -> Bool
  /// Whether an object that is not there was once.
  func wasThere(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> Bool
  /// What is left of an object that was deleted.
  func tombstone(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> [UInt8]?
  /// The values that a deleted object had last; `nil` where nobody knows.
  func lastValues(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> ContiguousArray<PropertyValue>?
}

extension LowerState where Self: ~Escapable {
  /// Whether an object that comes back may refer to what it referred to: that may be gone, or another's by now.
  package func isFree(
    _ target: AnyObjectID, _ slot: Int, _ entity: EntityMap, _ map: SchemaMap
  ) throws(StoreError) -> Bool {
    guard let targets = map.map(target.name), try object(target.uuid, targets) != nil else { return false }
    guard let end = map.schema.derivedEnd(ofOneToOne: slot, of: entity.entity) else { return true }
    return try sources(of: target.uuid, end).isEmpty
  }
}

/// An object of a ``LowerState``.
package struct LowerObject {
  package let values: ContiguousArray<PropertyValue>
  /// Its bytes at the head; empty where it comes from elsewhere.
  let record: [UInt8]

  package init(_ values: ContiguousArray<PropertyValue>) { self.init(values, record: []) }

  init(_ values: ContiguousArray<PropertyValue>, record: [UInt8]) {
    self.values = values
    self.record = record
  }
}
