import RepriseObjectModel
import RepriseQuery

/// What a fetch reads beyond its own objects, for as long as it runs: many objects refer to the same few others, and
/// looking one up costs as much as ten rows of a scan.
final class ReadMemory: FetchSource {
  private let projection: Projection
  private var known: [AnyObjectID: ContiguousArray<PropertyValue>?] = [:]

  /// How many objects are kept. Then all are forgotten, which costs less than to know which of them is needed least.
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
