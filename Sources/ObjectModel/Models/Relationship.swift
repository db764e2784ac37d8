extension ResolvedSchema {
  /// One end of a relationship, by slot.
  ///
  /// A pair of related objects is stored once, as a reference in the object at the end that `stores`. The other end
  /// reads an index. If one end is a to-one and the other a to-many, the to-one stores. Of two to-ones, the one that
  /// names its inverse stores. In a many-to-many, each end is the inverse of a to-one of the links.
  // A class: arrays of objects share their metadata, which exists when a process starts.
  package final class Relationship: Sendable {
    package let slot: Int
    package let isToMany: Bool
    package let deleteRule: DeleteRule
    package let target: Entity
    package let inverseSlot: Int
    package let inverseIsToMany: Bool
    package let stores: Bool
    /// The number of objects that a save allows at the other end.
    package let limits: ClosedRange<Int>
    /// The properties for the places of objects, if the relationship is ordered. A to-one whose inverse is ordered has
    /// them, too.
    package let places: Places?
    /// The other end of a many-to-many, whose `target` is the entity of the links. `nil` for other relationships.
    package let far: Far?

    /// Slots of the entity that stores the reference: the attribute with the place, and the index over the reference
    /// and that attribute.
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
      /// The slot of the link's reference to the object at the other end.
      package let slot: Int
      /// The entity of these objects.
      package let entity: Entity
      /// The effect on these objects when the object at this end is deleted. The links are always deleted.
      package let deleteRule: DeleteRule
      /// Whether the relationship is its own inverse. Then each pair has a link in each direction.
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
      // Searched only if the entity keeps places, because this runs at each start.
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
