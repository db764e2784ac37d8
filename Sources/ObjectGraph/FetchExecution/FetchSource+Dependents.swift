import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension FetchSource {
  /// The fetched objects whose match or place may have changed because other objects did, each with a set of slots. The
  /// slots are the relationships of the fetched object through which the fetch reads the other objects. The result may
  /// contain objects whose match and place are unchanged. `nil` if there are more than `limit` objects.
  ///
  /// An intermediate object whose reference changed is among the differences itself. So the references from a changed
  /// object back to the fetched objects can be read from this later source.
  package func dependents(
    of differences: [ObjectDifference], by dependencies: some Sequence<FetchDependency>, limit: Int
  ) -> [UniqueID: SlotSet]? {
    var found: [UniqueID: SlotSet] = [:]
    for dependency in dependencies {
      var objects: Set<AnyObjectID> = []
      for difference in differences where difference.id.name == dependency.entity {
        objects.formUnion(difference.ends(of: dependency.read))
      }
      for hop in dependency.hops.reversed() {
        guard !objects.isEmpty, objects.count <= limit else { break }
        var nearer: Set<AnyObjectID> = []
        for object in objects {
          nearer.formUnion(nearEnds(of: hop, from: object))
          if nearer.count > limit { return nil }
        }
        objects = nearer
      }
      if objects.count > limit { return nil }
      for object in objects { found[object.uuid, default: []].insert(dependency.property) }
      if found.count > limit { return nil }
    }
    return found
  }

  private func nearEnds(of hop: FetchDependency.Hop, from object: AnyObjectID) -> [AnyObjectID] {
    if hop.stores { return members(of: object, slot: hop.inverseSlot) }
    guard let values = values(of: object), values.indices.contains(hop.inverseSlot) else { return [] }
    return values[hop.inverseSlot].reference.map { [$0] } ?? []
  }
}

extension ObjectDifference {
  /// The objects whose value in a fetch this difference changes.
  fileprivate func ends(of read: FetchDependency.Read) -> [AnyObjectID] {
    switch read {
    case .existence: return before == nil || after == nil ? [id] : []
    case .value(let slot):
      guard let before, let after else { return [id] }
      return before[slot].isIdentical(to: after[slot]) ? [] : [id]
    case .members(let slot):
      let then = before?[slot].reference
      let now = after?[slot].reference
      return then == now ? [] : [then, now].compactMap { $0 }
    }
  }
}
