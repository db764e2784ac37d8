import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

// Fetches by entity, for tools that work with any model.

extension ObjectContext {
  /// Returns the objects of an entity whose properties have all the given values.
  ///
  /// With an empty dictionary, it returns all objects of the entity. Uncommitted changes are included.
  ///
  /// ```swift
  /// let people = try context.fetch(store.entity(named: "Person"), ["city": .string("Paris")], sortedBy: "name")
  /// ```
  ///
  /// Costs the same as a fetch of the model. For other conditions, write a function that is generic over the model.
  /// Call it with ``Entity/model``, and make conditions from `AnyField`.
  ///
  /// - Parameters:
  ///   - entity: One of ``Store/entities``.
  ///   - values: Values of attributes and to-one relationships. A path leads through to-one relationships:
  ///     `"owner.name"`.
  ///   - keys: Names or paths of attributes to sort by, ascending. Without keys, the objects are in order of creation.
  ///   - limit: The largest number of objects to return.
  ///   - offset: The number of objects to skip first.
  /// - Throws: ``FetchError`` if a number is negative, the store was not opened with the entity, a property is unknown,
  ///   a value has another type, or something cannot be read.
  public func fetch(
    _ entity: Entity, _ values: [String: PropertyValue] = [:], sortedBy keys: String..., limit: Int? = nil,
    offset: Int = 0
  ) throws -> [any PersistentModel] {
    func fetch<Model: PersistentModel>(_ model: Model.Type) throws -> [any PersistentModel] {
      var fetch = try Fetch<Model>(values)
      let keys = try keys.map { try SortKey<Model>(named: $0) }
      if !keys.isEmpty { fetch = fetch.sorted { _ in keys } }
      if limit != nil || offset != 0 { fetch = fetch.limit(limit ?? .max, offset: offset) }
      return try self.fetch(fetch)
    }
    return try fetch(entity.model)
  }

  /// Returns the number of objects of an entity whose properties have all the given values.
  ///
  /// Costs the same as a count of the model.
  ///
  /// - Throws: ``FetchError``, like the fetch by an entity.
  public func count(_ entity: Entity, _ values: [String: PropertyValue] = [:]) throws -> Int {
    func count<Model: PersistentModel>(_ model: Model.Type) throws -> Int { try self.count(Fetch<Model>(values)) }
    return try count(entity.model)
  }
}

extension Fetch {
  fileprivate init(_ values: [String: PropertyValue]) throws {
    let conditions = try values.sorted { $0.key < $1.key }.map { try AnyField<Model>(named: $0.key) == $0.value }
    self.init { _ in .all(conditions) }
  }
}
