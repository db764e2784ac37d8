import RepriseEventStore
import RepriseObjectModel

// Access by name, for tools that work with any model. The ``Entity`` lists the properties of a model.

extension PersistentModel {
  /// The value of an attribute, or a reference to the object of a to-one relationship, by the property's name.
  ///
  /// The result is the stored value, even if the Swift type of the attribute cannot hold it.
  ///
  /// - Throws: ``PropertyError`` if the property is unknown, or is to-many; see ``members(of:)``.
  public subscript(name: String) -> PropertyValue {
    get throws {
      let (slot, property) = try property(named: name)
      if property.isToMany { throw PropertyError.toMany(name, entity: Self.entity.name) }
      return _storage.shown(slot)
    }
  }

  /// Assigns a value to an attribute or to-one relationship, by the property's name.
  ///
  /// `set` works like the property's setter. Use a reference for a to-one relationship, and `null` for `nil`.
  ///
  /// - Throws: ``PropertyError`` if the property is unknown, to-many or derived, or cannot hold the value. Also if the
  ///   target does not exist in the object's context, or if the context is read-only. ``LookupError`` if the target
  ///   cannot be read. Then nothing has changed.
  public func set(_ name: String, to value: PropertyValue) throws {
    let (slot, property) = try property(named: name)
    if property.isToMany { throw PropertyError.toMany(name, entity: Self.entity.name) }
    if property.isDerived { throw PropertyError.derived(name, entity: Self.entity.name) }
    if let reason = property.objection(to: value) {
      throw PropertyError.invalidValue(
        InvalidValue(object: _storage.id, property: name, value: value, reason: reason, type: property.type))
    }
    if let host = _storage.host, !(host is EditingContext) { throw PropertyError.readOnly(_storage.id) }
    guard property.attribute == nil else { return _storage.assign(value, at: slot) }
    var target: (any PersistentModel)?
    if case .reference(let id) = value {
      target = try context?.existing(id)
      if target == nil { throw PropertyError.missingTarget(id, property: name, entity: Self.entity.name) }
    }
    if let host = _storage.host {
      host.setToOne(target, at: slot, of: _storage)
    } else {
      _storage.unlink(slot, from: self)
    }
  }

  /// Returns the IDs of the members of a to-many relationship, by the property's name.
  ///
  /// The order is the relationship's, or the order of creation if the relationship has none. Takes O(members) time, and
  /// makes an instance of each member.
  ///
  /// - Throws: ``PropertyError`` if the property is unknown or not to-many.
  public func members(of name: String) throws -> [AnyObjectID] {
    let (slot, property) = try property(named: name)
    guard property.isToMany else { throw PropertyError.notToMany(name, entity: Self.entity.name) }
    return _storage.members(slot).map(\._storage.id)
  }

  /// The context that the object belongs to; `nil` while the object is detached.
  public var context: ObjectContext? { _storage.host as? ObjectContext }

  func property(named name: String) throws(PropertyError) -> (slot: Int, property: Property) {
    let properties = Self.entity.declaredProperties
    guard let slot = properties.firstIndex(where: { $0.name == name && !$0.isIndex }) else {
      throw .unknown(name, entity: Self.entity.name)
    }
    return (slot, properties[slot])
  }
}
