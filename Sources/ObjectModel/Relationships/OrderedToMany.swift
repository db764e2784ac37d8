/// The objects at the other end of an ordered to-many relationship: a view of the context, not a copy.
///
/// The program decides the order. Each object occurs once. An object added from its other end comes last. Moving an
/// object is a change of that object only. If two contexts move different objects, both moves take effect. If they move
/// the same object, the last save wins.
///
/// `count`, access by position and finding a position take O(log n). Iteration reads the whole order once. Changes
/// during an iteration do not affect it.
///
/// Assigning to the relationship replaces all members: `playlist.tracks = [one, other]`, or `OrderedToMany(tracks)`
/// with any sequence. Only differences become changes, and as few objects as possible move.
public struct OrderedToMany<Element: PersistentModel>: RandomAccessCollection {
  fileprivate let members: Members

  /// Makes the view of the relationship of `owner` in `slot`. Only accessors use it.
  public init<Owner: PersistentModel>(_ slot: Int, of owner: Owner) { members = .relationship(slot, of: owner) }

  /// Makes a list of objects to assign to a relationship.
  ///
  /// If an object occurs several times, only its first occurrence counts. Until you assign the list, you can change it
  /// like a relationship. Its copies then change, too.
  public init(_ objects: some Sequence<Element>) { members = .assigned(AssignedObjects(objects.lazy.map { $0 })) }

  /// Makes an empty list to assign to a relationship.
  public init() { members = .assigned(AssignedObjects([])) }

  // MARK: Reading

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { members.count }

  /// Returns the object at a position, in O(log n).
  ///
  /// A position outside the valid range stops the program, as for an array. If damage hides the object at a position,
  /// the result is a placeholder: its state is ``ObjectState/unreadable``, and it ignores assignments. `remove` hides
  /// it from this context, whose saves throw until `refresh()`. The store keeps it.
  public subscript(position: Int) -> Element {
    guard let element = element(at: position) else {
      preconditionFailure("There is no object at the position \(position): the relationship has \(count) objects.")
    }
    return element
  }

  private func element(at position: Int) -> Element? {
    switch members {
    case .assigned(let list): return at(position, list.objects)
    case .relationship(let slot, let owner):
      let storage = owner._storage
      storage.noteRead(slot)
      if let host = storage.host { return host.member(at: position, slot, of: storage) as? Element }
      return at(position, storage.links[slot]?.objects ?? [])
    }
  }

  private func at(_ position: Int, _ objects: [any PersistentModel]) -> Element? {
    objects.indices.contains(position) ? objects[position] as? Element : nil
  }

  /// Returns an iterator over the objects in order.
  public func makeIterator() -> IndexingIterator<[Element]> {
    members.objects.compactMap { $0 as? Element }.makeIterator()
  }

  /// Returns whether `object` is a member, in O(log n).
  public func contains(_ object: Element) -> Bool { members.contains(object) }

  /// Returns the position of an object, in O(log n), or `nil` if it is not a member.
  public func firstIndex(of object: Element) -> Int? {
    switch members {
    case .assigned(let list): return list.position(of: object)
    case .relationship(let slot, let owner):
      let storage = owner._storage
      storage.noteRead(slot)
      if let host = storage.host { return host.position(of: object, slot, of: storage) }
      return storage.links[slot]?.objects.firstIndex { $0 === object }
    }
  }

  // MARK: Changing

  /// Inserts an object before the object at a position.
  ///
  /// A member moves there. A position of ``endIndex`` or beyond means the end. The inverse changes at once. A detached
  /// object joins the context. An object of another context stops the program with a message that names both.
  public func insert(_ object: Element, at position: Int) {
    switch members {
    case .assigned(let list): list.insert(object, at: position)
    case .relationship(let slot, let owner): owner._storage.insertMember(object, at: position, into: slot, of: owner)
    }
  }

  /// Appends an object at the end, unless it already is a member.
  ///
  /// To move a member to the end, insert it at ``endIndex``.
  public func append(_ object: Element) {
    switch members {
    case .assigned(let list): list.add(object)
    case .relationship(let slot, let owner):
      let storage = owner._storage
      if !storage.hasMember(object, at: slot) { storage.insertMember(object, at: .max, into: slot, of: owner) }
    }
  }

  /// Appends objects at the end as one undo step, like ``append(_:)``.
  public func append(contentsOf objects: some Sequence<Element>) {
    members.asOneStep { for object in objects { append(object) } }
  }

  /// Inserts objects in their order before the object at a position, as one undo step. Members move there.
  public func insert(contentsOf objects: some Sequence<Element>, at position: Int) {
    put(Array(objects), before: position)
  }

  /// Moves the object at a position to another position, as if it were removed and then inserted there.
  ///
  /// A move is a change of one object. An invalid first position does nothing.
  public func move(from position: Int, to other: Int) {
    guard position != other, let object = element(at: position) else { return }
    // `insert` counts the object itself among the objects before the position.
    insert(object, at: other > position && other < .max ? other + 1 : other)
  }

  /// Moves the objects at these positions, in their order, before the object at `destination`.
  ///
  /// Use this method when the user drags rows of a list. The move is one undo step, with a change for each moved
  /// object. Invalid positions are ignored.
  public func move(fromOffsets positions: some Sequence<Int>, toOffset destination: Int) {
    put(Set(positions).sorted().compactMap { element(at: $0) }, before: destination)
  }

  /// Puts objects before the first member from `position` on that is not one of them.
  private func put(_ objects: [Element], before position: Int) {
    let isMoved = Set(objects.map { ObjectIdentifier($0) })
    members.asOneStep {
      var position = Swift.max(0, position)
      while let element = element(at: position), isMoved.contains(ObjectIdentifier(element)) { position += 1 }
      let next = element(at: position)
      if objects.count > 1, case .relationship(let slot, let owner) = members, let host = owner._storage.host {
        position = Swift.min(position, count)
        var standing: [Element] = []
        var previous: Element?
        while position > standing.count, previous == nil, let element = element(at: position - standing.count - 1) {
          if isMoved.contains(ObjectIdentifier(element)) { standing.append(element) } else { previous = element }
        }
        if standing.reversed().elementsEqual(objects, by: ===) { return }
        if host.insertMembers(objects, between: previous, and: next, into: slot, of: owner._storage) { return }
      }
      for object in objects { insert(object, at: next.flatMap { firstIndex(of: $0) } ?? .max) }
    }
  }

  /// Removes an object, and the inverse changes at once. Nothing happens if it is not a member.
  public func remove(_ object: Element) { members.remove(object) }

  /// Removes the object at a position and returns it. Returns `nil` if there is none.
  @discardableResult
  public func remove(at position: Int) -> Element? {
    guard let object = element(at: position) else { return nil }
    remove(object)
    return object
  }

  /// Removes all objects as one undo step, in time proportional to their number.
  public func removeAll() { members.removeAll() }
}

extension OrderedToMany: ExpressibleByArrayLiteral {
  /// Makes a list of objects to assign to a relationship. Only the first occurrence of each object counts.
  public init(arrayLiteral objects: Element...) { self.init(objects) }
}

extension ObjectStorage {
  /// Replaces the members and the order of a to-many relationship, as one undo step.
  ///
  /// Missing objects are inserted, extra ones are removed, and objects out of place move. The cost is proportional to
  /// the old and new members.
  public func setToMany<Owner: PersistentModel, Element: PersistentModel>(
    _ slot: Int, _ members: OrderedToMany<Element>, of owner: Owner
  ) {
    let wanted = members.members.objects
    let known = self.members(slot)
    asOneStep {
      // A damaged index may list an object twice.
      let places = Dictionary(wanted.enumerated().map { (ObjectIdentifier($1), $0) }) { first, _ in first }
      var kept: [Int] = []
      for object in known {
        if let place = places[ObjectIdentifier(object)] {
          kept.append(place)
        } else {
          removeMember(object, from: slot, of: owner)
        }
      }
      let standing = Set(LongestIncreasing.indices(of: kept).map { kept[$0] })
      if let host, arrange(wanted, around: standing, slot, host) { return }
      let members = OrderedToMany<Element>(slot, of: owner)
      let lastStanding = standing.max() ?? -1
      for (place, object) in wanted.enumerated() where !standing.contains(place) {
        if place > lastStanding {
          insertMember(object, at: .max, into: slot, of: owner)
          continue
        }
        // Placed after the previous wanted member, because some earlier members may still have to move.
        let last = place > 0 ? (wanted[place - 1] as? Element).flatMap { members.firstIndex(of: $0) } : nil
        insertMember(object, at: last.map { $0 + 1 } ?? 0, into: slot, of: owner)
      }
    }
  }

  /// Moves only the members that are out of place. False if there is no room somewhere.
  private func arrange(
    _ wanted: [any PersistentModel], around standing: Set<Int>, _ slot: Int, _ host: any ObjectHost
  ) -> Bool {
    var moved: [any PersistentModel] = []
    var lower: (any PersistentModel)?
    for (place, object) in wanted.enumerated() {
      guard standing.contains(place) else {
        moved.append(object)
        continue
      }
      if !moved.isEmpty, !host.insertMembers(moved, between: lower, and: object, into: slot, of: self) { return false }
      moved = []
      lower = object
    }
    return moved.isEmpty || host.insertMembers(moved, between: lower, and: nil, into: slot, of: self)
  }

  func insertMember(_ object: any PersistentModel, at position: Int, into slot: Int, of owner: any PersistentModel) {
    if let host {
      host.insertMember(object, at: position, into: slot, of: self)
    } else if let other = object._storage.host {
      // The other object is in a context, so this object is inserted into that context.
      other.adopt(owner) { self.host?.insertMember(object, at: position, into: slot, of: self) }
    } else {
      let isMember = links[slot]?.contains(object) ?? false
      let own = isMember ? links[slot]?.objects.firstIndex { $0 === object } : nil
      link(slot, to: object, from: owner)
      // The position among the remaining members, as if this one were removed.
      tie(slot) { $0.move(object, to: own.map { position > $0 ? position - 1 : position } ?? position) }
    }
  }
}
