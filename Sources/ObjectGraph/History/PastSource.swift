import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The related objects that a condition reads while the log is walked backwards. It reads the store at a position that
/// only moves back.
///
/// The members of a relationship are read at the beginning of the walk, and corrected by the references that the walk
/// has passed. So the cost does not grow with the number of transactions, and each changed reference needs one word of
/// memory.
final class PastSource: FetchSource {
  private let start: Projection
  private var position: Position
  private var references: [Reference: Changed] = [:]
  private var ownFailure: StoreError?

  /// The first failure.
  var failure: StoreError? { ownFailure ?? start.failure }

  /// A to-one that objects store.
  private struct Reference: Hashable {
    let entity: EntityName
    let slot: Int
  }

  /// The references that changed between the position and the beginning of the walk, with their targets at the
  /// position.
  private struct Changed {
    private(set) var targets: [UniqueID: UniqueID?] = [:]
    private(set) var sources: [UniqueID: Set<UniqueID>] = [:]

    mutating func set(_ target: UniqueID?, of source: UniqueID) {
      if case .some(.some(let old)) = targets.updateValue(target, forKey: source) { sources[old]?.remove(source) }
      if let target { sources[target, default: []].insert(source) }
    }
  }

  init(_ store: Store, at position: Position) {
    start = Projection(store: store, position: position, layers: [], differences: HeadDifferences())
    self.position = position
  }

  func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>? {
    guard let map = start.store.map.map(id.name) else { return nil }
    do throws(StoreError) {
      return try start.store.objects.values(of: id.uuid, map, at: position)
    } catch {
      if ownFailure == nil { ownFailure = error }
      return nil
    }
  }

  func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID] {
    let members = start.members(of: id, slot: slot)
    guard let map = start.store.map.map(id.name), let end = start.store.map.schema.relationship(slot, of: map.entity),
      let changed = references[Reference(entity: end.target.interned, slot: end.inverseSlot)]
    else { return members }
    let came = (changed.sources[id.uuid] ?? []).map { AnyObjectID(end.target.interned, $0) }
    return (members.filter { !changed.targets.keys.contains($0.uuid) } + came).sorted()
  }

  /// Moves back over transactions that made these differences.
  func goBack(over differences: [ObjectDifference], to earlier: Position) {
    for difference in differences {
      for slot in difference.slots {
        let before = difference.before?[slot].reference
        guard before != difference.after?[slot].reference else { continue }
        references[Reference(entity: difference.id.name, slot: slot), default: Changed()]
          .set(before?.uuid, of: difference.id.uuid)
      }
    }
    position = earlier
  }
}
