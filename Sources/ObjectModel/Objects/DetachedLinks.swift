/// What a detached object is related to. The end that was assigned holds the other strongly, the other end weakly, so
/// that neither an assignment is lost nor a cycle made.
package struct DetachedLinks {
  package var strong: [any PersistentModel] = []
  package var weak: [Weak] = []

  package struct Weak {
    package weak var object: (any PersistentModel)?
  }

  package var objects: [any PersistentModel] { strong + weak.compactMap(\.object) }

  package mutating func remove(_ object: any PersistentModel) {
    strong.removeAll { $0 === object }
    weak.removeAll { $0.object === object || $0.object == nil }
  }
}

extension ObjectStorage {
  /// Ties two detached objects. `inverse` is the slot that leads back, if the caller knows it.
  package func link(_ slot: Int, to object: any PersistentModel, from owner: any PersistentModel) {
    let back = inverseSlot(of: slot)
    let other = object._storage
    if !entity.properties[slot].isToMany { unlink(slot, from: owner) }
    if let back, !other.entity.properties[back].isToMany { other.unlink(back, from: object) }
    links[slot, default: DetachedLinks()].remove(object)
    links[slot, default: DetachedLinks()].strong.append(object)
    if let back {
      other.links[back, default: DetachedLinks()].remove(owner)
      other.links[back, default: DetachedLinks()].weak.append(.init(object: owner))
    }
  }

  package func unlink(_ slot: Int, from owner: any PersistentModel) {
    for object in links[slot]?.objects ?? [] { unlink(slot, object, from: owner) }
  }

  package func unlink(_ slot: Int, _ object: any PersistentModel, from owner: any PersistentModel) {
    links[slot]?.remove(object)
    if let back = inverseSlot(of: slot) { object._storage.links[back]?.remove(owner) }
  }

  /// The slot of the other end, from the declarations alone: no store is at hand.
  private func inverseSlot(of slot: Int) -> Int? {
    let property = entity.properties[slot]
    guard let relationship = property.relationship else { return nil }
    let target = relationship.target.entity
    if let name = relationship.inverse { return target.slots[name] }
    return target.properties.firstIndex {
      $0.relationship?.inverse == property.name && $0.relationship?.target.entity === entity
    }
  }
}
