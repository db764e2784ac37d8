import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Inserts a new object of an entity with values by property name, as one undo step.
  ///
  /// Properties without a value have their default. No initialiser of the model runs.
  ///
  /// ```swift
  /// let entity = try store.entity(named: "Person")
  /// let ada = try context.insert(entity, ["name": .string("Ada"), "boss": .reference(boss.id.any)])
  /// ```
  ///
  /// - Parameters:
  ///   - entity: One of ``Store/entities``.
  ///   - values: Values of attributes and to-one relationships. To add members of a to-many relationship, call
  ///     ``PersistentModel/insert(_:into:at:)`` afterwards.
  /// - Returns: The inserted object.
  /// - Throws: ``PropertyError`` if the store was not opened with the entity, if a property is unknown, to-many,
  ///   derived or cannot hold its value, or if a target does not exist in this context. ``LookupError`` if a target
  ///   cannot be read. Then nothing has changed.
  @discardableResult
  public func insert(_ entity: Entity, _ values: [String: PropertyValue] = [:]) throws -> any PersistentModel {
    guard store.map.map(entity.interned)?.entity === entity else { throw PropertyError.unknownEntity(entity.name) }
    let object = entity.makeObject(ObjectStorage(entity))
    for (name, value) in values where entity.property(named: name)?.kind != .toOne { try object.set(name, to: value) }
    var targets: [(name: String, value: PropertyValue)] = []
    for (name, value) in values where entity.property(named: name)?.kind == .toOne {
      if let reason = entity.property(named: name)?.objection(to: value) {
        throw PropertyError.invalidValue(
          InvalidValue(object: object._storage.id, property: name, value: value, reason: reason))
      }
      if let id = value.reference, try existing(id) == nil {
        throw PropertyError.missingTarget(id, property: name, entity: entity.name)
      }
      targets.append((name, value))
    }
    try group(nil) {
      insertReachable(object)
      for (name, value) in targets { try object.set(name, to: value) }
    }
    return object
  }
}

extension Store {
  /// Returns the description of a model that the store was opened with, by its name.
  ///
  /// Takes time in proportion to the number of models.
  ///
  /// - Throws: ``PropertyError/unknownEntity(_:)``.
  public func entity(named name: String) throws -> Entity {
    guard let entity = entities.first(where: { $0.name == name }) else { throw PropertyError.unknownEntity(name) }
    return entity
  }
}
