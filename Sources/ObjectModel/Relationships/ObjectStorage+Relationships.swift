extension ObjectStorage {
  /// Returns the object of a to-one relationship, or `nil` if it is empty.
  public func toOne<Target: PersistentModel>(_ slot: Int, as type: Target.Type = Target.self) -> Target? {
    noteRead(slot)
    guard let host else { return links[slot]?.objects.first as? Target }
    return host.toOne(slot, of: self) as? Target
  }

  /// Makes a to-one relationship refer to an object, or to nothing.
  ///
  /// The inverse changes at once. A detached object joins the context. An object of another context stops the program
  /// with a message that names both. Pass such an object's ID instead, and look it up.
  public func setToOne<Owner: PersistentModel, Target: PersistentModel>(
    _ slot: Int, _ object: Target?, of owner: Owner
  ) {
    if let host {
      host.setToOne(object, at: slot, of: self)
    } else if let other = object?._storage.host {
      // The other object is in a context, so this object is inserted into that context.
      other.adopt(owner) { self.host?.setToOne(object, at: slot, of: self) }
    } else if let object {
      link(slot, to: object, from: owner)
    } else {
      unlink(slot, from: owner)
    }
  }

  /// Returns the ID of a to-one relationship's object, without looking up the object.
  public func toOneID<Target: PersistentModel>(_ slot: Int, as type: Target.Type = Target.self) -> ObjectID<Target>? {
    guard host != nil else { return (links[slot]?.objects.first as? Target)?.id }
    noteRead(slot)
    if let id = value(slot).reference { return ObjectID(id) }
    return toOne(slot, as: type)?.id
  }

  /// The objects at the end of a to-many, in its order.
  package func members(_ slot: Int) -> [any PersistentModel] {
    noteRead(slot)
    if let host { return host.toMany(slot, of: self) }
    let objects = links[slot]?.objects ?? []
    return entity.properties[slot].isOrdered ? objects : objects.sorted { $0._storage.uuid < $1._storage.uuid }
  }

  /// The number of objects at the end of a to-many.
  func memberCount(_ slot: Int) -> Int {
    noteRead(slot)
    return host?.toManyCount(slot, of: self) ?? links[slot]?.objects.count ?? 0
  }

  /// Whether an object is at the end of a to-many. Edits call this, so it is not recorded as a read by the program.
  func hasMember(_ object: any PersistentModel, at slot: Int) -> Bool {
    host?.contains(object, at: slot, of: self) ?? links[slot]?.contains(object) ?? false
  }

  /// Groups all changes that `body` makes into one undo step.
  func asOneStep(_ body: () -> Void) {
    if let host { host.asOneStep(body) } else { body() }
  }
}
