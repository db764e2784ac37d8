/// One relationship of a detached object. The object whose property was assigned holds the other strongly, and the
/// other holds it weakly. So no assignment is lost, and there is no cycle.
package struct DetachedLinks {
  private struct Link {
    var held: (any PersistentModel)?
    weak var known: (any PersistentModel)?

    var object: (any PersistentModel)? { held ?? known }
  }

  /// In order of insertion, with gaps where links were removed.
  private var links: [Link] = []
  private var places: [ObjectIdentifier: Int] = [:]
  private var limit = 64

  /// The objects that were assigned to this property.
  package var strong: [any PersistentModel] { links.compactMap(\.held) }

  package var objects: [any PersistentModel] { links.compactMap(\.object) }

  func contains(_ object: any PersistentModel) -> Bool {
    places[ObjectIdentifier(object)].map { links[$0].object != nil } ?? false
  }

  mutating func hold(_ object: any PersistentModel) { put(Link(held: object), object) }

  mutating func know(_ object: any PersistentModel) { put(Link(known: object), object) }

  mutating func remove(_ object: any PersistentModel) {
    if let place = places.removeValue(forKey: ObjectIdentifier(object)) { links[place] = Link() }
  }

  /// Moves an object to a position, or to the end.
  mutating func move(_ object: any PersistentModel, to position: Int) {
    let id = ObjectIdentifier(object)
    // Most objects are appended, which must not cost a step for each member.
    if places[id] == links.count - 1, position >= links.count - 1 { return }
    closeGaps()
    guard let place = places[id] else { return }
    let link = links.remove(at: place)
    links.insert(link, at: min(max(0, position), links.count))
    closeGaps()
  }

  private mutating func put(_ link: Link, _ object: any PersistentModel) {
    // An object that is already a member keeps its position.
    if let place = places[ObjectIdentifier(object)], links[place].object != nil { return links[place] = link }
    if links.count >= limit { closeGaps() }
    places[ObjectIdentifier(object)] = links.count
    links.append(link)
  }

  private mutating func closeGaps() {
    let old = links
    links = []
    places = [:]
    for link in old {
      guard let object = link.object else { continue }
      places[ObjectIdentifier(object)] = links.count
      links.append(link)
    }
    limit = max(64, links.count * 2)
  }
}

extension ObjectStorage {
  /// Links two detached objects. `inverse` is the slot that leads back, if the caller knows it.
  package func link(_ slot: Int, to object: any PersistentModel, from owner: any PersistentModel) {
    let back = inverseSlot(of: slot)
    let other = object._storage
    if !entity.properties[slot].isToMany { unlink(slot, from: owner) }
    if let back, !other.entity.properties[back].isToMany { other.unlink(back, from: object) }
    tie(slot) { $0.hold(object) }
    if let back { other.tie(back) { $0.know(owner) } }
  }

  package func unlink(_ slot: Int, from owner: any PersistentModel) {
    for object in links[slot]?.objects ?? [] { unlink(slot, object, from: owner) }
  }

  package func unlink(_ slot: Int, _ object: any PersistentModel, from owner: any PersistentModel) {
    links[slot]?.remove(object)
    if let back = inverseSlot(of: slot) { object._storage.links[back]?.remove(owner) }
  }

  /// The slot of the other end, from the declarations alone, because there is no store.
  private func inverseSlot(of slot: Int) -> Int? {
    let property = entity.properties[slot]
    guard let relationship = property.relationship else { return nil }
    let target = relationship.target.entity
    if let name = relationship.inverse { return target.slot(named: name) }
    return target.properties.firstIndex {
      $0.relationship?.inverse == property.name && $0.relationship?.target.entity === entity
    }
  }
}
