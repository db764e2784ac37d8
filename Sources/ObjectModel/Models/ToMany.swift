/// The objects at the other end of a to-many relationship: a view of the context, not a copy.
///
/// It has no order of its own; iteration goes by the objects' birth. ``count`` and iteration read an index, in time
/// proportional to the members, never to the store. Changes during an iteration do not affect it.
public struct ToMany<Element: PersistentModel>: Sequence {
  private let owner: any PersistentModel
  private let slot: Int

  /// The relationship of `owner` in `slot`. For accessors.
  public init<Owner: PersistentModel>(_ slot: Int, of owner: Owner) {
    self.owner = owner
    self.slot = slot
  }

  private var objects: [any PersistentModel] {
    let storage = owner._storage
    storage.noteRead(slot)
    return storage.host?.toMany(slot, of: storage)
      ?? (storage.links[slot]?.objects ?? []).sorted { $0._storage.uuid < $1._storage.uuid }
  }

  /// How many there are.
  public var count: Int {
    let storage = owner._storage
    storage.noteRead(slot)
    return storage.host?.toManyCount(slot, of: storage) ?? storage.links[slot]?.objects.count ?? 0
  }

  /// Whether there is none.
  public var isEmpty: Bool { count == 0 }

  /// In the order of the objects' birth.
  public func makeIterator() -> some IteratorProtocol<Element> {
    objects.lazy.compactMap { $0 as? Element }.makeIterator()
  }

  /// Whether `object` is one of them.
  public func contains(_ object: Element) -> Bool { objects.contains { $0 === object } }

  /// Adds an object; its inverse follows at once, and an object that it belonged to before loses it.
  ///
  /// A detached object joins the context; an object of another context stops the program with a text that names both.
  public func insert(_ object: Element) {
    let storage = owner._storage
    if let host = storage.host {
      host.insertMember(object, at: slot, of: storage)
    } else if let other = object._storage.host {
      other.adopt(owner) { storage.host?.insertMember(object, at: slot, of: storage) }
    } else {
      storage.link(slot, to: object, from: owner)
    }
  }

  /// Removes an object; its inverse becomes `nil`. Nothing happens if it is not one of them.
  public func remove(_ object: Element) {
    let storage = owner._storage
    if let host = storage.host {
      host.removeMember(object, at: slot, of: storage)
    } else {
      storage.unlink(slot, object, from: owner)
    }
  }
}
