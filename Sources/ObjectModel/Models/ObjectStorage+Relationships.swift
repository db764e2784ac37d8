extension ObjectStorage {
  /// The object at the end of a to-one relationship.
  public func toOne<Target: PersistentModel>(_ slot: Int, as type: Target.Type = Target.self) -> Target? {
    noteRead(slot)
    guard let host else { return links[slot]?.objects.first as? Target }
    return host.toOne(slot, of: self) as? Target
  }

  /// Points a to-one relationship at an object, or at nothing; the other end follows at once.
  ///
  /// A detached object joins the context. An object of another context stops the program with a text that names both:
  /// hand over its ID and look it up.
  public func setToOne<Owner: PersistentModel, Target: PersistentModel>(
    _ slot: Int, _ object: Target?, of owner: Owner
  ) {
    if let host {
      host.setToOne(object, at: slot, of: self)
    } else if let other = object?._storage.host {
      // The other end has a context already: this object joins it.
      other.adopt(owner) { self.host?.setToOne(object, at: slot, of: self) }
    } else if let object {
      link(slot, to: object, from: owner)
    } else {
      unlink(slot, from: owner)
    }
  }

  /// The ID of the object at the end of a to-one relationship. Costs no look-up of that object.
  public func toOneID<Target: PersistentModel>(_ slot: Int, as type: Target.Type = Target.self) -> ObjectID<Target>? {
    guard host != nil else { return (links[slot]?.objects.first as? Target)?.id }
    noteRead(slot)
    if let id = value(slot).reference { return ObjectID(id) }
    return toOne(slot, as: type)?.id
  }
}
