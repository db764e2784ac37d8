/// A stored to-one relationship that the store has and the model lacks.
///
/// A program with older models, or one whose models lost a relationship, must not leave it pointing to what it deletes.
package struct HiddenReference: Sendable {
  /// The end that stores the reference.
  let source: EntityMap
  let property: UInt32
  let index: UInt32

  /// All of them, by the number of the entity that they lead to.
  static func all(_ maps: some Sequence<EntityMap>) -> [UInt32: [HiddenReference]] {
    var found: [UInt32: [HiddenReference]] = [:]
    for map in maps {
      for property in map.hiddenIndexes {
        guard case .toOne(let target, _, _, stores: true) = property.role, let index = property.index else { continue }
        found[target, default: []].append(HiddenReference(source: map, property: property.number, index: index))
      }
    }
    return found
  }
}
