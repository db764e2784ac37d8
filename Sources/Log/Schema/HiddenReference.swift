/// A to-one relationship that is in the store's schema but not in this process's models.
///
/// A program whose models lack the relationship must still not leave it pointing to an object that it deletes.
package struct HiddenReference: Sendable {
  /// The end that stores the reference.
  package let source: EntityMap
  package let property: UInt32
  package let index: UInt32

  /// All hidden references, by the number of the entity that they refer to.
  static func all(_ maps: some Sequence<EntityMap>) -> [UInt32: [HiddenReference]] {
    var found: [UInt32: [HiddenReference]] = [:]
    for map in maps {
      for hidden in map.hiddenIndexes {
        guard case .toOne(let target, _, _, stores: true) = hidden.property.role else { continue }
        found[target, default: []].append(
          HiddenReference(source: map, property: hidden.property.number, index: hidden.index.number))
      }
    }
    return found
  }
}
