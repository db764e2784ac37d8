/// Objects to assign to a to-many relationship, each once, in their order.
final class AssignedObjects {
  private(set) var objects: [any PersistentModel] = []
  private var known: Set<ObjectIdentifier> = []

  init(_ objects: some Sequence<any PersistentModel>) { for object in objects { add(object) } }

  func contains(_ object: any PersistentModel) -> Bool { known.contains(ObjectIdentifier(object)) }

  func position(of object: any PersistentModel) -> Int? {
    contains(object) ? objects.firstIndex { $0 === object } : nil
  }

  func add(_ object: any PersistentModel) {
    if known.insert(ObjectIdentifier(object)).inserted { objects.append(object) }
  }

  /// Puts an object before the object at a position, or last.
  func insert(_ object: any PersistentModel, at position: Int) {
    let own = self.position(of: object)
    remove(object)
    known.insert(ObjectIdentifier(object))
    // The position among the remaining objects, as if this one were removed.
    let place = own.map { position > $0 ? position - 1 : position } ?? position
    objects.insert(object, at: min(max(0, place), objects.count))
  }

  func remove(_ object: any PersistentModel) {
    if known.remove(ObjectIdentifier(object)) != nil { objects.removeAll { $0 === object } }
  }
}
