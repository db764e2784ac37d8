import RepriseEventStore
import RepriseObjectModel

extension PersistentModel {
  /// Adds an object to a to-many relationship, by the property's name.
  ///
  /// The inverse changes at once. If the object is a member already, nothing happens. With a position in an ordered
  /// relationship, the member moves there.
  ///
  /// - Parameters:
  ///   - member: An object of this object's context.
  ///   - name: The name of the relationship.
  ///   - position: For an ordered relationship, the position of the member to insert before. Without it, a new member
  ///     goes to the end. Other relationships ignore it.
  /// - Throws: ``PropertyError`` if the property is unknown or not to-many, the member does not exist or has another
  ///   model, or the context is read-only. ``LookupError`` if the member cannot be read. Then nothing has changed.
  public func insert(_ member: AnyObjectID, into name: String, at position: Int? = nil) throws {
    try changeMembers(of: name, [member]) { slot, property, members in
      guard let member = members.first else { return }
      func insert<Owner: PersistentModel, Member: PersistentModel>(_ owner: Owner, _ member: Member) {
        guard property.isOrdered else { return ToMany<Member>(slot, of: owner).insert(member) }
        let ordered = OrderedToMany<Member>(slot, of: owner)
        if let position { ordered.insert(member, at: position) } else { ordered.append(member) }
      }
      insert(self, member)
    }
  }

  /// Removes an object from a to-many relationship, by the property's name.
  ///
  /// Nothing happens if it is not a member.
  ///
  /// - Throws: ``PropertyError`` or ``LookupError``, as ``insert(_:into:at:)``.
  public func remove(_ member: AnyObjectID, from name: String) throws {
    try changeMembers(of: name, [member]) { slot, _, members in
      guard let member = members.first else { return }
      func remove<Owner: PersistentModel, Member: PersistentModel>(_ owner: Owner, _ member: Member) {
        ToMany<Member>(slot, of: owner).remove(member)
      }
      remove(self, member)
    }
  }

  /// Replaces all members of a to-many relationship, by the property's name, as one undo step.
  ///
  /// An ordered relationship gets the members in this order.
  ///
  /// - Throws: ``PropertyError`` or ``LookupError``, as ``insert(_:into:at:)``.
  public func setMembers(of name: String, to members: [AnyObjectID]) throws {
    try changeMembers(of: name, members) { slot, property, members in
      func set<Owner: PersistentModel, Member: PersistentModel>(_ owner: Owner, _ type: Member.Type) {
        let members = members.compactMap { $0 as? Member }
        if property.isOrdered {
          owner._storage.setToMany(slot, OrderedToMany(members), of: owner)
        } else {
          owner._storage.setToMany(slot, ToMany(members), of: owner)
        }
      }
      if let target = property.target { set(self, target.model) }
    }
  }

  private func changeMembers(
    of name: String, _ members: [AnyObjectID], _ change: (Int, Property, [any PersistentModel]) -> Void
  ) throws {
    let (slot, property) = try property(named: name)
    guard property.isToMany, let target = property.target else {
      throw PropertyError.notToMany(name, entity: Self.entity.name)
    }
    if let host = _storage.host, !(host is EditingContext) { throw PropertyError.readOnly(_storage.id) }
    let found = try members.map { id in
      guard let member = try context?.existing(id) else {
        throw PropertyError.missingTarget(id, property: name, entity: Self.entity.name)
      }
      guard member._storage.entity === target else {
        throw PropertyError.invalidValue(
          InvalidValue(
            object: _storage.id, property: name, value: .reference(id),
            reason: .typeMismatch(expected: "an object of \(target.name)")))
      }
      return member
    }
    change(slot, property, found)
  }
}
