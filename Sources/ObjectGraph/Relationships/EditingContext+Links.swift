import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Adds a link to a many-to-many, unless the two objects are already linked.
  func addLink(_ link: (id: AnyObjectID, values: ContiguousArray<PropertyValue>)) {
    guard let map = store.map.map(link.id.name), let reading = readingToChange(of: link.id, map),
      reading.values == nil
    else { return }
    record(link.id, .inserted(keepingPlaces(link.values, of: link.id, map)))
  }

  /// Adds the links that objects had while they were detached. The lists of both objects have each link. An ordered end
  /// keeps its order.
  func addLinks(_ lists: [(ObjectStorage, ResolvedSchema.Relationship, [any PersistentModel])]) {
    var links: [(id: AnyObjectID, values: ContiguousArray<PropertyValue>)] = []
    var numbers: [AnyObjectID: Int] = [:]
    for (storage, end, others) in lists {
      for other in others {
        if end.far?.isMirrored == true {
          let mirrored = end.link(other._storage.uuid, storage.uuid)
          if numbers[mirrored.id] == nil {
            numbers[mirrored.id] = links.count
            links.append(mirrored)
          }
        }
        let link = end.link(storage.uuid, other._storage.uuid)
        let number = numbers[link.id] ?? links.count
        if number == links.count {
          numbers[link.id] = number
          links.append(link)
        } else if let places = end.places {
          // The new link got its place after all earlier links of this list.
          links[number].values[places.slot] = link.values[places.slot]
        }
      }
    }
    for link in links { addLink(link) }
  }

  func removeLink(_ end: ResolvedSchema.Relationship, _ near: ObjectStorage, _ far: ObjectStorage) {
    let id = end.link(near.uuid, far.uuid).id
    guard let map = store.map.map(end.target.interned) else { return }
    do throws(StoreError) {
      if let values = try reading(of: id, map).values { record(id, .deleted(values)) }
    } catch {
      hideRow(id, error)
    }
  }
}
