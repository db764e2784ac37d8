import RepriseEventStore
import RepriseObjectModel

// Access by name, for tools that are written once for all models. What a model has is listed by its ``Entity``.

extension PersistentModel {
  /// The value of an attribute, or the object at the end of a to-one as a reference, by the name of the property. What
  /// is stored is given as it is, also where the model's type has no such value.
  ///
  /// - Throws: ``PropertyError``: the model has no such property, or it is a to-many; see ``members(of:)``.
  public subscript(name: String) -> PropertyValue {
    get throws {
      let (slot, property) = try property(named: name)
      if property.isToMany { throw PropertyError.toMany(name, entity: Self.entity.name) }
      return _storage.shown(slot)
    }
  }

  /// Assigns to an attribute, or points a to-one at the object of a reference, by the name of the property: as its
  /// setter does. Null is nil.
  ///
  /// - Throws: ``PropertyError``: the model has no such property, it is a to-many or derived, it cannot hold the value,
  ///   or the object's context only reads. Then nothing has changed.
  public func set(_ name: String, to value: PropertyValue) throws {
    let (slot, property) = try property(named: name)
    if property.isToMany { throw PropertyError.toMany(name, entity: Self.entity.name) }
    if property.isDerived { throw PropertyError.derived(name, entity: Self.entity.name) }
    if let reason = property.objection(to: value) {
      throw PropertyError.invalidValue(
        InvalidValue(object: _storage.id, property: name, value: value, reason: reason))
    }
    if let host = _storage.host, !(host is EditingContext) { throw PropertyError.readOnly(_storage.id) }
    guard property.attribute == nil else { return _storage.assign(value, at: slot) }
    var target: (any PersistentModel)?
    if case .reference(let id) = value {
      target = try? context?.object(id)
      if target == nil { throw PropertyError.missingTarget(id, property: name, entity: Self.entity.name) }
    }
    if let host = _storage.host {
      host.setToOne(target, at: slot, of: _storage)
    } else {
      _storage.unlink(slot, from: self)
    }
  }

  /// The objects at the end of a to-many, by the name of the property, in its order: of one without an order by birth.
  ///
  /// - Throws: ``PropertyError``: the model has no such property, or it is no to-many.
  public func members(of name: String) throws -> [AnyObjectID] {
    let (slot, property) = try property(named: name)
    guard property.isToMany else { throw PropertyError.notToMany(name, entity: Self.entity.name) }
    return _storage.members(slot).map(\._storage.id)
  }

  /// The context that the object belongs to; `nil` while it is in none.
  public var context: ObjectContext? { _storage.host as? ObjectContext }

  func property(named name: String) throws(PropertyError) -> (slot: Int, property: Property) {
    let properties = Self.entity.declaredProperties
    guard let slot = properties.firstIndex(where: { $0.name == name && !$0.isIndex }) else {
      throw .unknown(name, entity: Self.entity.name)
    }
    return (slot, properties[slot])
  }
}
