/// A reference that keeps no object alive. One class serves all lists of such references, because arrays of objects
/// share one type, which a start need not instantiate.
package final class WeakReference {
  package private(set) weak var object: AnyObject?

  package init(_ object: AnyObject) { self.object = object }
}

extension [WeakReference] {
  /// Adds an object. If the list is full, released objects leave it first, so an addition costs O(1) on average.
  ///
  /// - Parameter limit: How many references fill the list. Becomes twice the number of the rest, and at least 8.
  /// - Returns: Whether the objects of the list may have other places now.
  @discardableResult package mutating func append(_ object: AnyObject, limit: inout Int) -> Bool {
    let isFull = count >= limit
    if isFull {
      removeAll { $0.object == nil }
      limit = Swift.max(8, count * 2)
    }
    append(WeakReference(object))
    return isFull
  }
}
