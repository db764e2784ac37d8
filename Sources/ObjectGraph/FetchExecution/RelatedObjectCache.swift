import RepriseObjectModel
import RepriseQuery

/// The related objects that a fetch reads, while it runs. Many objects refer to the same few objects, and each look-up
/// costs as much as ten rows of a scan.
final class RelatedObjectCache: FetchSource {
  private let projection: Projection
  private var known: [AnyObjectID: ContiguousArray<PropertyValue>?] = [:]

  /// The most objects to keep. Beyond that, all are forgotten, which costs less than finding the least used object.
  private static let capacity = 1024

  init(_ projection: Projection) { self.projection = projection }

  func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>? {
    if let values = known[id] { return values }
    if known.count == Self.capacity { known.removeAll(keepingCapacity: true) }
    let values = projection.values(of: id)
    known[id] = .some(values)
    return values
  }

  func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID] { projection.members(of: id, slot: slot) }
}
