import RepriseEventStore
import RepriseObjectModel

extension PersistentModel {
  /// Puts an object among the members of a to-many, by the name of the property; its inverse follows at once. Nothing
  /// happens if it is one of them, unless a position is given.
  ///
  /// - Parameters:
  ///   - member: An object of this object's context.
  ///   - position: Of an ordered to-many, before which of its members to put it, or to move it; behind all if it is
  ///     left out. Otherwise of no consequence.
  /// - Throws: ``PropertyError``: the model has no such property, it is no to-many, there is no such object, or the
  ///   object's context only reads. Then nothing has changed.
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

  /// Takes an object from the members of a to-many, by the name of the property. Nothing happens if it is none of them.
  ///
  /// - Throws: ``PropertyError``, as ``insert(_:into:at:)``.
  public func remove(_ member: AnyObjectID, from name: String) throws {
    try changeMembers(of: name, [member]) { slot, _, members in
      guard let member = members.first else { return }
      func remove<Owner: PersistentModel, Member: PersistentModel>(_ owner: Owner, _ member: Member) {
        ToMany<Member>(slot, of: owner).remove(member)
      }
      remove(self, member)
    }
  }

  /// Sets a to-many as a whole, by the name of the property; of an ordered one in this order. One step of undo.
  ///
  /// - Throws: ``PropertyError``, as ``insert(_:into:at:)``.
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
      guard let member = try? context?.object(id) else {
        throw PropertyError.missingTarget(id, property: name, entity: Self.entity.name)
      }
      guard member._storage.entity === target else {
        throw PropertyError.invalidValue(
          InvalidValue(
            object: _storage.id, property: name, value: .reference(id),
            reason: .otherKind(expected: "an object of \(target.name)")))
      }
      return member
    }
    change(slot, property, found)
  }
}
