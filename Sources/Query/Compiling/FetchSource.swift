import RepriseObjectModel

/// The source of the related objects that a condition reads.
package protocol FetchSource {
  /// The values of an object by slot. `nil` if the object does not exist in the fetch's view.
  func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>?
  /// The objects at the end of a relationship that the other end stores. A to-one has at most one.
  func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID]
}
