extension ResolvedSchema {
  /// One end of a relationship, by slot.
  ///
  /// An edge is stored once: in the object at the end that `stores`, as a reference. The other end reads an index. Of a
  /// to-one and a to-many the to-one stores; of two to-ones the one that names its inverse. Two to-manies are each the
  /// inverse of a to-one of their links.
  // A class: arrays of objects share their metadata, which exists when a process starts.
  package final class Relationship: Sendable {
    package let slot: Int
    package let isToMany: Bool
    package let deleteRule: DeleteRule
    package let target: Entity
    package let inverseSlot: Int
    package let inverseIsToMany: Bool
    package let stores: Bool
    /// How many objects there are at the other end when a save is made.
    package let limits: ClosedRange<Int>
    /// The properties for the places of objects, if the relationship is ordered. A to-one whose inverse is ordered has
    /// them, too.
    package let places: Places?
    /// The end of a many-to-many beyond its links, which are its `target`. `nil` for other relationships.
    package let far: Far?

    /// By slot of the end that stores the reference: the attribute, and the index over reference and attribute.
    package struct Places: Sendable {
      package let slot: Int
      package let index: Int

      /// `nil` if the relationship that leads to the property with this name is not ordered.
      init?(_ reference: String, of entity: Entity) {
        let (place, index) = (Property.places(in: reference)[0].name, Property.places(in: reference)[1].name)
        guard let slot = entity.properties.firstIndex(where: { $0.name == place && $0.attribute != nil }),
          let number = entity.properties.firstIndex(where: { $0.name == index && $0.isIndex })
        else { return nil }
        self.slot = slot
        self.index = number
      }
    }

    /// The other end of a many-to-many.
    package struct Far: Sendable {
      /// The slot of a link with the reference to its object at the other end.
      package let slot: Int
      /// The entity of these objects.
      package let entity: Entity
      /// The effect on them when the object at this end is deleted. Its links are deleted in any case.
      package let deleteRule: DeleteRule
      /// Whether the relationship is its own inverse: then there is a link in each direction.
      package let isMirrored: Bool
    }

    /// The entity of the objects that programs see at the other end.
    package var destination: Entity { far?.entity ?? target }

    init(
      _ entity: Entity, slot: Int, isToMany: Bool, deleteRule: DeleteRule, target: Entity, inverseSlot: Int,
      inverseIsToMany: Bool,
      stores: Bool, limits: ClosedRange<Int> = 0...Int.max, far: Far? = nil
    ) {
      self.far = far
      self.limits = limits
      // Only if there may be one, as this is done at each start.
      let (storing, reference) = stores ? (entity, slot) : (target, inverseSlot)
      places = storing.keepsPlaces ? Places(storing.properties[reference].name, of: storing) : nil
      self.slot = slot
      self.isToMany = isToMany
      self.deleteRule = deleteRule
      self.target = target
      self.inverseSlot = inverseSlot
      self.inverseIsToMany = inverseIsToMany
      self.stores = stores
    }
  }
}
