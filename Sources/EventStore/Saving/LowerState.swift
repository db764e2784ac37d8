import RepriseLog
import RepriseObjectModel

/// The state that uncommitted changes are saved over: the head of the log, within the commit; or for a child, the view
/// of its parent.
package protocol LowerState: ~Escapable {
  /// An object in this state. `nil` if it does not exist.
  func object(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> LowerObject?
  /// The objects that refer to `target` by the inverse of `end`, which stores the reference. From its index, ascending.
  func sources(of target: UniqueID, _ end: ResolvedSchema.Relationship) throws(StoreError) -> [UniqueID]
  /// The objects that refer to `target` by a relationship that the models of this process lack.
  func sources(of target: UniqueID, _ hidden: HiddenReference) throws(StoreError) -> [UniqueID]
  /// The objects whose rows in a unique index begin with a key's row. They may have the same values.
  func objects(with key: UniqueKey, _ index: UniqueIndex, _ entity: EntityMap) throws(StoreError) -> [UniqueID]
  /// The values of a unique index's columns in a record, or in an object without a record. `nil` if this state lacks
  /// the columns that are not in the models.
  func columns(
    of index: UniqueIndex, in record: [UInt8]?, _ uuid: UniqueID, _ entity: EntityMap
  ) throws(StoreError) -> [PropertyValue]?
  /// Whether an object of this ID may exist or, with `isTombstone`, may have left a tombstone. A cheap test that saves
  /// a look-up for each new object.
  mutating func mayKnow(_ uuid: UniqueID, _ entity: EntityMap, isTombstone: Bool) throws(StoreError) -> Bool
  /// Whether an object that does not exist now existed earlier.
  func wasThere(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> Bool
  /// Whether an object that does not exist, and whose deletion is unknown, may have been in the log earlier:
  /// retention drops tombstones, too.
  func mayHaveForgotten(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> Bool
  /// The tombstone of a deleted object. `nil` if there is none.
  func tombstone(_ uuid: UniqueID, _ entity: EntityMap) throws(StoreError) -> [UInt8]?
  /// The deletion of an object that does not exist. `nil` if it is unknown.
  ///
  /// - Parameter known: Deletions that were read already. If one of them deleted the object, too, it is the result.
  func deletion(of uuid: UniqueID, _ entity: EntityMap, _ known: [PastDeletion]) throws(StoreError) -> PastDeletion?
}

extension LowerState where Self: ~Escapable {
  /// Whether an object that is inserted again may refer to its former target. The target may have been deleted, or
  /// another object may refer to it.
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
  /// The record at the head. Empty if the object comes from a parent context.
  let record: [UInt8]

  package init(_ values: ContiguousArray<PropertyValue>) { self.init(values, record: []) }

  init(_ values: ContiguousArray<PropertyValue>, record: [UInt8]) {
    self.values = values
    self.record = record
  }
}
