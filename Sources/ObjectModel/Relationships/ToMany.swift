/// The objects at the other end of a to-many relationship: a view of the context, not a copy.
///
/// If both ends are to-many, you can add and remove objects at either end. Each pair of objects is related once, even
/// if both ends add it. Deleting one of the objects ends the relation.
///
/// The relationship has no order that you choose: iteration is in order of creation. ``count`` and iteration read an
/// index, in time proportional to the members and not to the store. Changes during an iteration do not affect it. If
/// damage hides a member, iteration ends with a placeholder, whose state is ``ObjectState/unreadable``.
///
/// Assigning to the relationship replaces all members: `folder.notes = [one, other]`, or `ToMany(notes)` with any
/// sequence. Only differences become changes.
public struct ToMany<Element: PersistentModel>: Sequence {
  fileprivate let members: Members

  /// Makes the view of the relationship of `owner` in `slot`. Only accessors use it.
  public init<Owner: PersistentModel>(_ slot: Int, of owner: Owner) { members = .relationship(slot, of: owner) }

  /// Makes a set of objects to assign to a relationship. Repeated objects count once.
  ///
  /// Until you assign the set, you can change it like a relationship. Its copies then change, too.
  public init(_ objects: some Sequence<Element>) { members = .assigned(AssignedObjects(objects.lazy.map { $0 })) }

  /// The number of objects, in time proportional to it.
  public var count: Int { members.count }

  /// Whether there are no objects. Costs the same as ``count``.
  public var isEmpty: Bool { count == 0 }

  /// The member that was created first; `nil` if there is none. Costs the same as ``count``, and makes an instance of
  /// this member only.
  public var first: Element? {
    switch members {
    case .assigned(let set): return set.objects.first as? Element
    case .relationship(let slot, let owner):
      let storage = owner._storage
      guard let host = storage.host else { return first(where: { _ in true }) }
      storage.noteRead(slot)
      return host.toManyFirst(slot, of: storage) as? Element
    }
  }

  /// Returns an iterator over the members in order of creation. A set made with an initialiser keeps the order given.
  public func makeIterator() -> some IteratorProtocol<Element> {
    members.objects.lazy.compactMap { $0 as? Element }.makeIterator()
  }

  /// Returns whether `object` is a member, in O(log n).
  public func contains(_ object: Element) -> Bool { members.contains(object) }

  // MARK: Changing

  /// Adds an object, and the inverse changes at once.
  ///
  /// Nothing happens if it is a member. If the inverse is a to-one relationship, the object leaves its former owner. A
  /// detached object joins the context. An object of another context stops the program with a message that names both.
  public func insert(_ object: Element) {
    switch members {
    case .assigned(let set): set.add(object)
    case .relationship(let slot, let owner): owner._storage.insertMember(object, into: slot, of: owner)
    }
  }

  /// Removes an object, and the inverse changes at once. Nothing happens if it is not a member.
  public func remove(_ object: Element) { members.remove(object) }

  /// Adds objects as one undo step, like ``insert(_:)``.
  public func insert(contentsOf objects: some Sequence<Element>) {
    members.asOneStep { for it in objects { insert(it) } }
  }

  /// Removes objects as one undo step, like ``remove(_:)``.
  public func remove(contentsOf objects: some Sequence<Element>) {
    members.asOneStep { for it in objects { remove(it) } }
  }

  /// Removes all objects as one undo step, in time proportional to their number.
  public func removeAll() { members.removeAll() }
}

extension ToMany: ExpressibleByArrayLiteral {
  /// Makes a set of objects to assign to a relationship. Repeated objects count once.
  public init(arrayLiteral objects: Element...) { self.init(objects) }
}

extension ObjectStorage {
  /// Replaces the members of a to-many relationship, as one undo step.
  ///
  /// Missing objects are inserted, and extra ones are removed. The cost is proportional to the old and new members.
  public func setToMany<Owner: PersistentModel, Element: PersistentModel>(
    _ slot: Int, _ members: ToMany<Element>, of owner: Owner
  ) {
    let wanted = members.members.objects
    let known = self.members(slot)
    let (kept, old) = (Set(wanted.map(ObjectIdentifier.init)), Set(known.map(ObjectIdentifier.init)))
    asOneStep {
      for object in known where !kept.contains(ObjectIdentifier(object)) { removeMember(object, from: slot, of: owner) }
      for object in wanted where !old.contains(ObjectIdentifier(object)) { insertMember(object, into: slot, of: owner) }
    }
  }

  func insertMember(_ object: any PersistentModel, into slot: Int, of owner: any PersistentModel) {
    if let host {
      host.insertMember(object, into: slot, of: self)
    } else if let other = object._storage.host {
      // The other object is in a context, so this object is inserted into that context.
      other.adopt(owner) { self.host?.insertMember(object, into: slot, of: self) }
    } else {
      link(slot, to: object, from: owner)
    }
  }

  func removeMember(_ object: any PersistentModel, from slot: Int, of owner: any PersistentModel) {
    if let host {
      host.removeMember(object, from: slot, of: self)
    } else {
      unlink(slot, object, from: owner)
    }
  }
}
