import RepriseObjectModel

/// The source of further objects that a condition reads.
package protocol FetchSource {
  /// The values of an object by slot. `nil` if there is no such object, as the fetch sees it.
  func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>?
  /// The objects at the end of a relationship whose slot stores nothing: of a to-many all, of a to-one none or one.
  func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID]
}
